// Walking over every schema inside a schema, whatever keyword it stands under.
import type { CustomResourceDefinitionSpec, JSONSchemaProps } from "@kubewright/api";
import { Pace } from "@kubewright/api/steps";
import { isList } from "../structural/schema-node.js";

/** So many schemas take about a millisecond. */
export const schemasPerStep = 500;

/** The entries of a map one after the other: listing those of a very long one takes longer than all that is done with them. */
export function* entriesOf<T>(map: { readonly [name: string]: T } | undefined): Generator<[string, T]> {
  if (map === undefined) return;
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value !== undefined) yield [name, value];
  }
}

/** Whether a schema, or any inside it, satisfies a condition. */
export function someSchema(
  schema: JSONSchemaProps | undefined,
  condition: (schema: JSONSchemaProps) => boolean,
  pace = new Pace(schemasPerStep),
): boolean {
  if (schema === undefined) return false;

  if (condition(schema)) return true;
  for (const inner of schemasInside(schema)) if (someSchema(inner, condition, pace)) return true;
  return false;
}

/** Whether any schema of a definition satisfies a condition. */
export function someSchemaOf(
  spec: CustomResourceDefinitionSpec,
  condition: (schema: JSONSchemaProps) => boolean,
): boolean {
  for (const { schema } of spec.versions ?? [])
    if (someSchema(schema?.openAPIV3Schema, condition)) return true;
  return false;
}

/** Every schema that stands directly inside another. */
export function* schemasInside(schema: JSONSchemaProps): Generator<JSONSchemaProps> {
  const { items, additionalProperties, additionalItems, not } = schema;
  if (items !== undefined) yield* isList(items) ? items : [items];
  if (schema.allOf !== undefined) yield* schema.allOf;
  if (schema.anyOf !== undefined) yield* schema.anyOf;
  if (schema.oneOf !== undefined) yield* schema.oneOf;
  if (not !== undefined) yield not;
  yield* valuesOf(schema.properties);
  if (typeof additionalProperties === "object") yield additionalProperties;
  yield* valuesOf(schema.patternProperties);
  if (typeof additionalItems === "object") yield additionalItems;
  yield* valuesOf(schema.definitions);
  for (const dependency of valuesOf(schema.dependencies))
    if (!isList<JSONSchemaProps | string>(dependency)) yield dependency;
}

const valuesOf = <T>(map: { readonly [name: string]: T } | undefined): Iterable<T> =>
  map === undefined ? [] : values(map);

function* values<T>(map: { readonly [name: string]: T }): Generator<T> {
  for (const [, value] of entriesOf(map)) yield value;
}

/** How deep schemas are nested; stops counting at the limit. */
export function schemaDepth(schema: JSONSchemaProps, limit: number, pace = new Pace(schemasPerStep)): number {
  if (limit <= 0) return 0;

  let deepest = 0;
  for (const inner of schemasInside(schema)) deepest = Math.max(deepest, schemaDepth(inner, limit - 1, pace));
  return 1 + deepest;
}

// Walking over every schema inside a schema, whatever keyword it stands under.
import type { CustomResourceDefinitionSpec, JSONSchemaProps } from "@kubewright/api";
import { isList } from "../structural/schema-node.js";

/** So many schemas take about a millisecond. */
export const schemasPerStep = 500;

/** Whether a schema, or any inside it, satisfies a condition. */
export function someSchema(
  schema: JSONSchemaProps | undefined,
  condition: (schema: JSONSchemaProps) => boolean,
): boolean {
  if (schema === undefined) return false;
  return condition(schema) || schemasInside(schema).some((inner) => someSchema(inner, condition));
}

/** Whether any schema of a definition satisfies a condition. */
export function someSchemaOf(
  spec: CustomResourceDefinitionSpec,
  condition: (schema: JSONSchemaProps) => boolean,
): boolean {
  return (spec.versions ?? []).some((version) => someSchema(version.schema?.openAPIV3Schema, condition));
}

/** Every schema that stands directly inside another. */
export function schemasInside(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  const parts: (readonly JSONSchemaProps[])[] = [];
  const add = (part: readonly JSONSchemaProps[]): void => void (part.length > 0 && parts.push(part));
  const { items, additionalProperties, additionalItems, not } = schema;
  if (items !== undefined) add(isList(items) ? items : [items]);
  if (schema.allOf !== undefined) add(schema.allOf);
  if (schema.anyOf !== undefined) add(schema.anyOf);
  if (schema.oneOf !== undefined) add(schema.oneOf);
  if (not !== undefined) add([not]);
  if (schema.properties !== undefined) add(Object.values(schema.properties));
  if (typeof additionalProperties === "object") add([additionalProperties]);
  if (schema.patternProperties !== undefined) add(Object.values(schema.patternProperties));
  if (typeof additionalItems === "object") add([additionalItems]);
  if (schema.definitions !== undefined) add(Object.values(schema.definitions));
  if (schema.dependencies !== undefined) add(Object.values(schema.dependencies).flatMap(asSchema));
  const [first = none] = parts;
  // Most schemas have none inside, or of one sort.
  return parts.length < 2 ? first : parts.flat();
}

const none: readonly JSONSchemaProps[] = [];

const asSchema = (dependency: JSONSchemaProps | readonly string[]): readonly JSONSchemaProps[] =>
  isList<JSONSchemaProps | string>(dependency) ? [] : [dependency];

/** How deep schemas are nested; stops counting at the limit. */
export function schemaDepth(schema: JSONSchemaProps, limit: number): number {
  if (limit <= 0) return 0;
  let deepest = 0;
  for (const inner of schemasInside(schema)) deepest = Math.max(deepest, schemaDepth(inner, limit - 1));
  return 1 + deepest;
}

// Walks over every schema inside a schema, under whatever keyword.
import type { CustomResourceDefinitionSpec, JSONSchemaProps } from "@kubewright/api";
import { isList } from "../structural/schema-node.js";

/** Whether a schema, or any inside it, satisfies a condition. */
export function someSchema(
  schema: JSONSchemaProps | undefined,
  condition: (schema: JSONSchemaProps) => boolean,
): boolean {
  if (schema === undefined) return false;
  return condition(schema) || schemasInside(schema).some((inner) => someSchema(inner, condition));
}

/** Whether any schema of a CRD satisfies a condition. */
export function someSchemaOf(
  spec: CustomResourceDefinitionSpec,
  condition: (schema: JSONSchemaProps) => boolean,
): boolean {
  return (spec.versions ?? []).some(({ schema }) => someSchema(schema?.openAPIV3Schema, condition));
}

/** Every schema that stands directly inside another. */
export function schemasInside(schema: JSONSchemaProps): readonly JSONSchemaProps[] {
  const { items, additionalProperties, additionalItems, not } = schema;
  return [
    ...(items === undefined ? [] : isList(items) ? items : [items]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(not === undefined ? [] : [not]),
    ...Object.values(schema.properties ?? {}),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ...Object.values(schema.patternProperties ?? {}),
    ...(typeof additionalItems === "object" ? [additionalItems] : []),
    ...Object.values(schema.definitions ?? {}),
    ...Object.values(schema.dependencies ?? {}).filter(isSchema),
  ];
}

/** What is neither a schema nor a list of names is null. */
const isSchema = (dependency: JSONSchemaProps | readonly string[] | null): dependency is JSONSchemaProps =>
  dependency !== null && !isList<JSONSchemaProps | string>(dependency);

/** The nesting depth of a schema; stops counting at the limit. */
export function schemaDepth(schema: JSONSchemaProps, limit: number): number {
  if (limit <= 0) return 0;
  let deepest = 0;
  for (const inner of schemasInside(schema)) deepest = Math.max(deepest, schemaDepth(inner, limit - 1));
  return 1 + deepest;
}

// Schemas in the older form, Swagger 2.0, which knows less; and kubectl reads it more strictly than it is written.
import { isObject, type JSONSchemaProps, setOwn } from "@kubewright/api";
import { asJson, embedded, type Json, mapChildren, typeFields, withFields } from "./custom-schema.js";
import type { Descriptions } from "./descriptions.js";

const metadataReference = "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** The schema of a custom kind. Where anything goes, nothing may be declared: kubectl would refuse the rest. */
export function customSwaggerSchema(schema: JSONSchemaProps, words: Descriptions["object"]): Json {
  if (schema["x-kubernetes-preserve-unknown-fields"]) return { type: "object" };
  const metadata = { description: words.metadata, $ref: metadataReference };
  const fields = { ...typeFields(words), metadata };
  return withFields(simplified(schema, fields), fields);
}

function simplified(schema: JSONSchemaProps, fields: Json): Json {
  const {
    allOf: _allOf,
    anyOf: _anyOf,
    oneOf: _oneOf,
    not: _not,
    default: _default,
    nullable,
    ...rest
  } = mapChildren(schema, (child) => simplified(child, fields));
  const anything = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const open = nullable === true || anything ? withoutInside(rest) : rest;
  const untyped =
    nullable === true ||
    (open["type"] === "array" && open["items"] === undefined) ||
    (open["type"] === "object" && anything);
  const typed = untyped ? without(open, "type") : open;
  const strict = withoutNullable(typed, schema);
  return schema["x-kubernetes-embedded-resource"] && !anything ? embedded(strict, fields) : strict;
}

const without = (schema: Json, key: string): Json => {
  const { [key]: _dropped, ...rest } = schema;
  return rest;
};

const withoutInside = (schema: Json): Json => without(without(schema, "items"), "properties");

/** Swagger has no null, so a nullable field cannot be required. */
function withoutNullable(schema: Json, { properties, required }: JSONSchemaProps): Json {
  if (required === undefined || properties === undefined) return schema;
  const demanded = required.filter(
    (name) => !(Object.hasOwn(properties, name) && properties[name]?.nullable),
  );
  return demanded.length === 0 ? without(schema, "required") : { ...schema, required: demanded };
}

/** Schemas of built-in kinds, from their OpenAPI v3 form. */
export function nativeSwaggerSchemas(schemas: Json): Json {
  return mapValues(schemas, nativeSwaggerSchema);
}

/** Swagger 2.0 has no alternatives and no null, and wraps no references in `allOf`; defaults are left out, as kube-apiserver does. */
function nativeSwaggerSchema(schema: unknown): Json {
  const {
    default: _default,
    nullable: _nullable,
    oneOf: alternatives,
    anyOf: _anyOf,
    not: _not,
    ...kept
  } = asJson(schema);
  const { allOf, properties, items, additionalProperties, $ref, ...rest } = kept;
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [];
  return {
    // An int-or-string is declared as a string.
    ...(alternatives !== undefined && rest["type"] === undefined ? { type: "string" } : {}),
    ...rest,
    ...(only === undefined ? (allOf === undefined ? {} : { allOf }) : nativeSwaggerSchema(only)),
    ...(typeof $ref === "string" ? { $ref: $ref.replace("#/components/schemas/", "#/definitions/") } : {}),
    ...(properties === undefined ? {} : { properties: mapValues(asJson(properties), nativeSwaggerSchema) }),
    ...(items === undefined ? {} : { items: nativeSwaggerSchema(items) }),
    ...(isObject(additionalProperties)
      ? { additionalProperties: nativeSwaggerSchema(additionalProperties) }
      : additionalProperties === undefined
        ? {}
        : { additionalProperties }),
  };
}

function mapValues(fields: Json, map: (value: unknown) => Json): Json {
  const mapped: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) setOwn(mapped, name, map(fields[name]));
  return mapped;
}

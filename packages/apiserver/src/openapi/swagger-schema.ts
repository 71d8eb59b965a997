// Schemas in the older form, Swagger 2.0, which knows less; and kubectl reads it more strictly than it is written.
import { type JSONSchemaProps, stringifyJson } from "@kubewright/api";
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

/** What may be null cannot be demanded in a language without null. */
function withoutNullable(schema: Json, { properties, required }: JSONSchemaProps): Json {
  if (required === undefined || properties === undefined) return schema;
  const demanded = required.filter(
    (name) => !(Object.hasOwn(properties, name) && properties[name]?.nullable),
  );
  return demanded.length === 0 ? without(schema, "required") : { ...schema, required: demanded };
}

/** Schemas of built-in kinds, from their OpenAPI v3 form. */
export function nativeSwaggerSchemas(schemas: Readonly<Record<string, unknown>>): Json {
  const text = stringifyJson(schemas).replaceAll("#/components/schemas/", "#/definitions/");
  return JSON.parse(text, withoutNewKeywords);
}

const newKeywords: ReadonlySet<string> = new Set(["nullable", "oneOf", "anyOf", "not"]);

/** Swagger 2.0 has no alternatives, and wraps no references in `allOf`. */
function withoutNewKeywords(key: string, value: unknown): unknown {
  if (newKeywords.has(key) && (typeof value === "boolean" || Array.isArray(value))) return undefined;
  const schema = asJson(value);
  const { allOf } = schema;
  if (Array.isArray(allOf) && allOf.length === 1) return { ...without(schema, "allOf"), ...asJson(allOf[0]) };
  // What is a number or a string is written as a string.
  if (schema["format"] === "int-or-string" && schema["type"] === undefined)
    return { type: "string", ...schema };
  return value;
}

// The OpenAPI schema of a custom resource: that of its CRD, with apiVersion, kind and metadata.
import { isObject, type JSONSchemaProps, setOwn, stringifyJson } from "@kubewright/api";
import type { Descriptions } from "./descriptions.js";

export type Json = Readonly<Record<string, unknown>>;

const metadataType = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** `apiVersion` and `kind` as properties. */
export const typeFields = ({ apiVersion, kind }: Descriptions["object"]) => ({
  apiVersion: { type: "string", description: apiVersion },
  kind: { type: "string", description: kind },
});

/** For OpenAPI v3: nothing of the CRD's schema is lost. */
export function customSchema(schema: JSONSchemaProps, words: Descriptions["object"]): Json {
  const fields = {
    ...typeFields(words),
    metadata: { description: words.metadata, allOf: [{ $ref: `#/components/schemas/${metadataType}` }] },
  };
  return withFields(unfolded(schema, fields), fields);
}

/** The schema of an object with what every object has. */
export function withFields(schema: Json, fields: Json): Json {
  return { ...schema, properties: { ...asJson(schema["properties"]), ...fields } };
}

/** Kubernetes extensions as standard OpenAPI, for clients that do not know them. */
function unfolded(schema: JSONSchemaProps, fields: Json): Json {
  const children = mapChildren(schema, (child) => unfolded(child, fields));
  if (schema["x-kubernetes-embedded-resource"]) return embedded(children, fields);
  return schema["x-kubernetes-int-or-string"] ? intOrString(children) : children;
}

/** An object inside another, which must say what it is. */
export function embedded(schema: Json, fields: Json): Json {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return {
    ...withFields(schema, fields),
    required: [...new Set([...required, "kind", "apiVersion"])],
  };
}

const eitherType = [{ type: "integer" }, { type: "string" }];

function intOrString(schema: Json): Json {
  const { anyOf, allOf } = schema;
  if (anyOf === undefined) return { ...schema, anyOf: eitherType };
  return isEitherType(anyOf)
    ? schema
    : { ...schema, allOf: [{ anyOf: eitherType }, ...(Array.isArray(allOf) ? allOf : [])] };
}

const isEitherType = (anyOf: unknown): boolean =>
  Array.isArray(anyOf) && anyOf.length === 2 && stringifyJson(anyOf) === stringifyJson(eitherType);

/** Converts a schema. */
type MapSchema = (schema: JSONSchemaProps) => Json;

/** The schema with every schema directly below it replaced. */
export function mapChildren(schema: JSONSchemaProps, map: MapSchema): Json {
  const { properties, items, additionalProperties } = schema;
  const mapped: Record<string, unknown> = { ...schema };
  if (properties !== undefined) mapped["properties"] = mapProperties(properties, map);
  if (isSchema(items)) mapped["items"] = map(items);
  if (isSchema(additionalProperties)) mapped["additionalProperties"] = map(additionalProperties);
  return mapped;
}

function mapProperties(properties: Readonly<Record<string, JSONSchemaProps>>, map: MapSchema): Json {
  const mapped: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    const child = properties[name];
    if (child === undefined) continue;
    const value = map(child);
    setOwn(mapped, name, value);
  }
  return mapped;
}

const isSchema = (value: unknown): value is JSONSchemaProps => isObject(value);

/** The fields of an object; none of anything else. */
export const asJson = (value: unknown): Json => (isObject(value) ? value : {});

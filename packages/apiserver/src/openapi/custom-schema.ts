// The schema of a custom kind as it is published: what its definition says, and what every object has besides.
import type { JSONSchemaProps } from "@kubewright/api";

export type Json = Readonly<Record<string, unknown>>;

const metadataType = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** `apiVersion` and `kind` as properties. */
export const typeFields = {
  apiVersion: { type: "string", description: "The version of the schema this object is written in." },
  kind: { type: "string", description: "The kind of object this is." },
} as const;

const metadataField = {
  description: "What every object has: name, namespace, labels, annotations, owners and history.",
  allOf: [{ $ref: `#/components/schemas/${metadataType}` }],
} as const;

/** For OpenAPI v3: nothing of the definition is lost. */
export function customSchema(schema: JSONSchemaProps): Json {
  return withObjectFields(unfolded(schema));
}

function withObjectFields(schema: Json): Json {
  return {
    ...schema,
    properties: { ...asJson(schema["properties"]), ...typeFields, metadata: metadataField },
  };
}

/** Extensions spelt out for those who do not know them. */
function unfolded(schema: JSONSchemaProps): Json {
  const children = mapChildren(schema, unfolded);
  if (schema["x-kubernetes-embedded-resource"]) return embedded(children);
  return schema["x-kubernetes-int-or-string"] ? intOrString(children) : children;
}

function embedded(schema: Json): Json {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return { ...withObjectFields(schema), required: [...new Set([...required, "kind", "apiVersion"])] };
}

const eitherType = [{ type: "integer" }, { type: "string" }];

function intOrString(schema: Json): Json {
  const { anyOf, allOf } = schema;
  if (anyOf === undefined) return { ...schema, anyOf: eitherType };
  const saysSo = JSON.stringify(anyOf) === JSON.stringify(eitherType);
  return saysSo
    ? schema
    : { ...schema, allOf: [{ anyOf: eitherType }, ...(Array.isArray(allOf) ? allOf : [])] };
}

/** The schema with every schema directly below it replaced. */
export function mapChildren(schema: JSONSchemaProps, map: (child: JSONSchemaProps) => Json): Json {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: mapProperties(properties, map) }),
    ...(isSchema(items) ? { items: map(items) } : {}),
    ...(isSchema(additionalProperties) ? { additionalProperties: map(additionalProperties) } : {}),
  };
}

function mapProperties(
  properties: Readonly<Record<string, JSONSchemaProps>>,
  map: (child: JSONSchemaProps) => Json,
): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, map(child)]));
}

const isSchema = (value: unknown): value is JSONSchemaProps =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asJson = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

// Type info of custom kinds, from the structural schema of their CustomResourceDefinition.
import type { JSONSchemaProps } from "../generated/apiextensions-v1.js";
import type { FieldInfo, ScalarInfo, StructInfo, TypeInfo } from "../type-info.js";
import { namedTypeInfo } from "./builtin-type-info.js";

const any: TypeInfo = { kind: "any" };
const maxDepth = 500;

/**
 * The type info of a whole object: the schema of a CustomResourceDefinition version, plus `apiVersion`, `kind` and
 * `metadata`. Lists are atomic and objects granular unless the schema says otherwise. Throws when the schema nests
 * deeper than 500 levels.
 */
export function typeInfoFromSchema(schema: JSONSchemaProps): StructInfo {
  return structInfo(schema, { embedded: true, depth: 0 });
}

interface Place {
  readonly embedded: boolean;
  readonly depth: number;
}

function typeInfoAt(schema: JSONSchemaProps, place: Place): TypeInfo {
  if (place.depth > maxDepth) throw new RangeError(`the schema nests deeper than ${maxDepth} levels`);
  const flat = flatInfo(schema);
  if (flat) return flat;
  return schema.type === "array" ? listInfo(schema, place) : objectInfo(schema, place);
}

/** The type info of what has no parts; undefined for objects and lists. */
function flatInfo(schema: JSONSchemaProps): TypeInfo | undefined {
  // Merging knows no such type: whatever stands there is left to validation.
  if (schema["x-kubernetes-int-or-string"]) return any;
  switch (schema.type) {
    case "object":
    case "array":
      return undefined;
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return scalarInfo(schema, schema.type);
    default:
      return any;
  }
}

const below = (place: Place): Place => ({ ...place, depth: place.depth + 1 });

function scalarInfo(schema: JSONSchemaProps, type: ScalarInfo["type"]): ScalarInfo {
  return { kind: "scalar", type, format: schema.format, enum: schema.enum };
}

function listInfo(schema: JSONSchemaProps, place: Place): TypeInfo {
  const items = isSchema(schema.items) ? typeInfoAt(schema.items, below(place)) : any;
  const listType = schema["x-kubernetes-list-type"];
  return {
    kind: "list",
    item: items,
    listType: listType === "set" || listType === "map" ? listType : "atomic",
    keys: schema["x-kubernetes-list-map-keys"] ?? [],
  };
}

function objectInfo(schema: JSONSchemaProps, place: Place): TypeInfo {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  if (embedded || schema.properties !== undefined || !schema.additionalProperties) {
    return structInfo(schema, { ...place, embedded });
  }
  return { kind: "map", value: additional(schema, place) ?? any, mapType: mapTypeOf(schema) };
}

function structInfo(schema: JSONSchemaProps, place: Place): StructInfo {
  const { embedded } = place;
  const { properties = {} } = schema;
  const inner = below(place);
  const fields = new Map<string, FieldInfo>();
  for (const [name, property] of Object.entries(properties))
    fields.set(name, { name, type: typeInfoAt(property, inner), default: property.default });
  if (embedded) for (const field of objectFields()) fields.set(field.name, field);
  const preserveUnknownFields = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    kind: "struct",
    fields,
    required: schema.required ?? [],
    mapType: mapTypeOf(schema),
    preserveUnknownFields,
    unknownFields: additional(schema, place) ?? (preserveUnknownFields ? any : undefined),
    embeddedResource: embedded,
  };
}

/** The fields every object has, whatever its schema says of them. */
function objectFields(): readonly FieldInfo[] {
  const text: ScalarInfo = { kind: "scalar", type: "string" };
  return [
    { name: "apiVersion", type: text },
    { name: "kind", type: text },
    { name: "metadata", type: namedTypeInfo("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta") ?? any },
  ];
}

function additional(schema: JSONSchemaProps, place: Place): TypeInfo | undefined {
  if (!schema.additionalProperties) return undefined;
  return schema.additionalProperties === true ? any : typeInfoAt(schema.additionalProperties, below(place));
}

function mapTypeOf(schema: JSONSchemaProps): "granular" | "atomic" {
  return schema["x-kubernetes-map-type"] === "atomic" ? "atomic" : "granular";
}

function isSchema(items: JSONSchemaProps["items"]): items is JSONSchemaProps {
  return items !== undefined && !Array.isArray(items);
}

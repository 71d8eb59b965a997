// Facts of custom kinds, from the structural schema of their CustomResourceDefinition.
import type { JSONSchemaProps } from "../generated/apiextensions-v1.js";
import type { FieldFacts, ScalarFacts, StructFacts, TypeFacts } from "../type-facts.js";
import { typeFacts } from "./builtin-facts.js";

const any: TypeFacts = { kind: "any" };
const maxDepth = 500;

/**
 * The facts of a whole object: the schema of a CustomResourceDefinition version, plus `apiVersion`, `kind` and
 * `metadata`. Lists are atomic and objects granular unless the schema says otherwise. Throws when the schema nests
 * deeper than 500 levels.
 */
export function factsFromSchema(schema: JSONSchemaProps): StructFacts {
  return structFacts(schema, { embedded: true, depth: 0 });
}

interface Place {
  readonly embedded: boolean;
  readonly depth: number;
}

function factsAt(schema: JSONSchemaProps, place: Place): TypeFacts {
  if (place.depth > maxDepth) throw new RangeError(`the schema nests deeper than ${maxDepth} levels`);
  const flat = flatFacts(schema);
  if (flat) return flat;
  return schema.type === "array" ? listFacts(schema, place) : objectFacts(schema, place);
}

/** The facts of what has no parts; undefined for objects and lists. */
function flatFacts(schema: JSONSchemaProps): TypeFacts | undefined {
  if (schema["x-kubernetes-int-or-string"])
    return { kind: "scalar", type: "int-or-string", format: schema.format };
  switch (schema.type) {
    case "object":
    case "array":
      return undefined;
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return scalarFacts(schema, schema.type);
    default:
      return any;
  }
}

const below = (place: Place): Place => ({ ...place, depth: place.depth + 1 });

function scalarFacts(schema: JSONSchemaProps, type: ScalarFacts["type"]): ScalarFacts {
  return { kind: "scalar", type, format: schema.format, enum: schema.enum };
}

function listFacts(schema: JSONSchemaProps, place: Place): TypeFacts {
  const items = isSchema(schema.items) ? factsAt(schema.items, below(place)) : any;
  const listType = schema["x-kubernetes-list-type"];
  return {
    kind: "list",
    item: items,
    listType: listType === "set" || listType === "map" ? listType : "atomic",
    keys: schema["x-kubernetes-list-map-keys"] ?? [],
  };
}

function objectFacts(schema: JSONSchemaProps, place: Place): TypeFacts {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  if (embedded || schema.properties !== undefined || !schema.additionalProperties) {
    return structFacts(schema, { ...place, embedded });
  }
  return { kind: "map", value: additional(schema, place) ?? any, mapType: mapTypeOf(schema) };
}

function structFacts(schema: JSONSchemaProps, place: Place): StructFacts {
  const { embedded } = place;
  const { properties = {} } = schema;
  const inner = below(place);
  const fields = new Map<string, FieldFacts>();
  for (const [name, property] of Object.entries(properties))
    fields.set(name, { name, type: factsAt(property, inner), default: property.default });
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

/** What every object has, whatever its schema says of them. */
function objectFields(): readonly FieldFacts[] {
  const text: ScalarFacts = { kind: "scalar", type: "string" };
  return [
    { name: "apiVersion", type: text },
    { name: "kind", type: text },
    { name: "metadata", type: typeFacts("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta") ?? any },
  ];
}

function additional(schema: JSONSchemaProps, place: Place): TypeFacts | undefined {
  if (!schema.additionalProperties) return undefined;
  return schema.additionalProperties === true ? any : factsAt(schema.additionalProperties, below(place));
}

function mapTypeOf(schema: JSONSchemaProps): "granular" | "atomic" {
  return schema["x-kubernetes-map-type"] === "atomic" ? "atomic" : "granular";
}

function isSchema(items: JSONSchemaProps["items"]): items is JSONSchemaProps {
  return items !== undefined && !Array.isArray(items);
}

// Built-in types as parts of a custom resource: the structural schema that Go tooling writes for an embedded Go
// type. As there, enumerations are left out, so that a value a later Kubernetes adds is not refused. Unlike there,
// embedded metadata and raw objects keep their content.
import type { JSONSchemaProps } from "../generated/apiextensions-v1.js";
import type { JsonValue } from "../json.js";
import type { FieldInfo, StructInfo } from "../type-info.js";
import { namedTypeInfo } from "./builtin-type-info.js";
import { type OpenApiSchema, openApiSchema, referenceOf } from "./openapi-schema.js";
import { protobufMessage, protobufNameOf } from "./protobuf-messages.js";

type Writable = { -readonly [Key in keyof JSONSchemaProps]: JSONSchemaProps[Key] };

const text: JSONSchemaProps = { type: "string" };
const textMap: JSONSchemaProps = { type: "object", additionalProperties: text };
const opaque: JSONSchemaProps = { "x-kubernetes-preserve-unknown-fields": true };
const intOrString: JSONSchemaProps = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  "x-kubernetes-int-or-string": true,
};

const quantity: JSONSchemaProps = {
  ...intOrString,
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
};

/** The part of the metadata that a template may state. */
const embeddedMetadata: JSONSchemaProps = {
  type: "object",
  properties: {
    annotations: textMap,
    finalizers: { type: "array", items: text },
    labels: textMap,
    name: text,
    namespace: text,
  },
};

/** The only common type with limits of its own; they stand in its Go source, not in the published schema. */
const condition: JSONSchemaProps = {
  type: "object",
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
  properties: {
    lastTransitionTime: { type: "string", format: "date-time" },
    message: { type: "string", maxLength: 32768 },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    type: {
      type: "string",
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
  },
};

/** Types that are not spelled out from their schema. */
const special: ReadonlyMap<string, JSONSchemaProps> = new Map<string, JSONSchemaProps>([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", quantity],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", intOrString],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", { type: "object", ...opaque }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", { type: "object", ...opaque }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", embeddedMetadata],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.Condition", condition],
]);

/** Fields whose defaults the Go source gives by naming a constant, which Go tooling does not resolve. */
const withoutDefault: ReadonlySet<string> = new Set([
  "io.k8s.api.core.v1.AzureDiskVolumeSource.cachingMode",
  "io.k8s.api.core.v1.AzureDiskVolumeSource.kind",
]);

/**
 * The structural schema of a built-in type, such as `io.k8s.api.core.v1.ServicePort`. A type inside itself is kept
 * whole and unchecked. Throws for a name that is no built-in type.
 */
export function embeddedSchema(schemaName: string): JSONSchemaProps {
  return typeSchema(schemaName, []);
}

function typeSchema(name: string, outer: readonly string[]): JSONSchemaProps {
  const known = special.get(name);
  if (known !== undefined) return known;
  if (outer.includes(name)) return opaque;
  const schema = openApiSchema(name);
  if (schema === undefined) throw new Error(`${name} is not a built-in type`);
  const typeInfo = namedTypeInfo(name);
  return typeInfo?.kind === "struct"
    ? structSchema(schema, typeInfo, [...outer, name], mapTypeOf(name))
    : placeSchema(schema, outer);
}

type MapType = JSONSchemaProps["x-kubernetes-map-type"];

/** A type that inlines an atomic one is atomic itself: `ConfigMapEnvSource` holds the fields of a `LocalObjectReference`. */
function mapTypeOf(name: string): MapType {
  const own = openApiSchema(name)?.["x-kubernetes-map-type"];
  if (own !== undefined) return own;
  const inlined = protobufMessage(protobufNameOf(name))?.filter(({ presence }) => presence === "inline");
  return inlined?.some(({ type }) => isAtomic(type)) ? "atomic" : undefined;
}

function isAtomic(message: string): boolean {
  return openApiSchema(message.replace(/^k8s\.io\./, "io.k8s."))?.["x-kubernetes-map-type"] === "atomic";
}

function structSchema(
  schema: OpenApiSchema,
  typeInfo: StructInfo,
  outer: readonly string[],
  mapType: MapType,
): JSONSchemaProps {
  const result: Writable = { type: "object" };
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, place]): [string, JSONSchemaProps] => {
      const field = placeSchema(place, outer);
      const isBare = withoutDefault.has(`${outer.at(-1)}.${name}`);
      return [name, isBare ? field : withDefault(field, place, typeInfo.fields.get(name))];
    },
  );
  if (properties.length > 0) result.properties = Object.fromEntries(properties);
  if (schema.required !== undefined) result.required = [...schema.required].sort();
  if (mapType !== undefined) result["x-kubernetes-map-type"] = mapType;
  return result;
}

function placeSchema(place: OpenApiSchema, outer: readonly string[]): JSONSchemaProps {
  const mapType = place["x-kubernetes-map-type"];
  const overrule = mapType === undefined ? {} : { "x-kubernetes-map-type": mapType };
  const reference = referenceOf(place);
  if (reference !== undefined) return { ...typeSchema(reference, outer), ...overrule };
  if (place.type === "array") return listSchema(place, outer);
  if (place.type === "object") {
    return {
      type: "object",
      additionalProperties: placeSchema(place.additionalProperties ?? {}, outer),
      ...overrule,
    };
  }
  if (place.type === undefined) return opaque;
  return place.format === undefined ? { type: place.type } : { type: place.type, format: place.format };
}

/** Keys must be present in every item; a list where they may be missing is replaced as a whole instead. */
function listSchema(place: OpenApiSchema, outer: readonly string[]): JSONSchemaProps {
  const items = placeSchema(place.items ?? {}, outer);
  const keys = place["x-kubernetes-list-map-keys"];
  const result: Writable = { type: "array", items };
  if (keys?.some((key) => !isAlwaysThere(items, key)))
    return { ...result, "x-kubernetes-list-type": "atomic" };
  if (keys !== undefined) result["x-kubernetes-list-map-keys"] = keys;
  if (place["x-kubernetes-list-type"] !== undefined) {
    result["x-kubernetes-list-type"] = place["x-kubernetes-list-type"];
  }
  return result;
}

function isAlwaysThere(item: JSONSchemaProps, key: string): boolean {
  return item.required?.includes(key) === true || item.properties?.[key]?.default !== undefined;
}

/**
 * The published schemas give every field that is always printed its zero value as a default, and every struct `{}`;
 * what is left was meant.
 */
function withDefault(
  schema: JSONSchemaProps,
  place: OpenApiSchema,
  field: FieldInfo | undefined,
): JSONSchemaProps {
  const value = place.default;
  if (!isScalar(value) || (!value && field?.presence === "value!")) return schema;
  return { ...schema, default: value };
}

function isScalar(value: unknown): value is JsonValue & (string | number | boolean) {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

// Type info of built-in types, from their published schemas and (for presence) their protobuf messages.
import type { GroupVersionKind } from "../resource.js";
import type { FieldInfo, Presence, ScalarInfo, StructInfo, TypeInfo } from "../type-info.js";
import { lazy } from "./lazy.js";
import { type OpenApiSchema, openApiSchema, referenceOf, schemaNameOf } from "./openapi-schema.js";
import { protobufMessage, protobufNameOf } from "./protobuf-messages.js";

/** Types whose JSON the schema does not say exactly. */
const special: readonly (readonly [string, TypeInfo])[] = [
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { kind: "scalar", type: "string", format: "quantity" }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", { kind: "any" }],
  [
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
    { kind: "scalar", type: "string", format: "micro-time" },
  ],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", { kind: "any", isAtomic: true }],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { kind: "scalar", type: "int-or-string" }],
];

const types = lazy(() => new BuiltinTypes());

/** The type info of one built-in type, such as `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`. */
export function namedTypeInfo(schemaName: string): TypeInfo | undefined {
  return types().named(schemaName);
}

/** The type info of a built-in kind; undefined for kinds the server does not have. */
export function kindTypeInfo(gvk: GroupVersionKind): StructInfo | undefined {
  const name = schemaNameOf(gvk);
  const typeInfo = name === undefined ? undefined : types().named(name);
  return typeInfo?.kind === "struct" ? typeInfo : undefined;
}

class BuiltinTypes {
  readonly #types = new Map<string, TypeInfo>(special);

  named(name: string): TypeInfo | undefined {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const schema = openApiSchema(name);
    return schema === undefined ? undefined : this.#add(name, schema);
  }

  #add(name: string, schema: OpenApiSchema): TypeInfo {
    if (schema.type !== "object") {
      const typeInfo = this.#place(schema);
      this.#types.set(name, typeInfo);
      return typeInfo;
    }
    const typeInfo = this.#struct(name, schema);
    this.#types.set(name, typeInfo);
    return typeInfo;
  }

  /** Reads the fields when they are first needed: a type may hold itself, and few who ask for a kind need all types below it. */
  #struct(name: string, schema: OpenApiSchema): StructInfo {
    const fields = lazy(() => this.#fields(name, schema));
    return {
      kind: "struct",
      name,
      get fields() {
        return fields();
      },
      required: schema.required ?? [],
      mapType: schema["x-kubernetes-map-type"] ?? "granular",
      preserveUnknownFields: false,
    };
  }

  #fields(name: string, { properties = {} }: OpenApiSchema): ReadonlyMap<string, FieldInfo> {
    const presence = presenceOf(protobufNameOf(name));
    return new Map(
      Object.entries(properties).map(([field, place]) => [
        field,
        this.#field(field, place, presence.get(field)),
      ]),
    );
  }

  #field(name: string, place: OpenApiSchema, presence: Presence | undefined): FieldInfo {
    return {
      name,
      type: this.#place(place),
      default: place.default,
      patchStrategy: place["x-kubernetes-patch-strategy"]?.split(",").filter(isPatchStrategy),
      patchMergeKey: place["x-kubernetes-patch-merge-key"],
      // `apiVersion` and `kind` are no part of any message.
      presence: presence ?? "value",
    };
  }

  #place(place: OpenApiSchema): TypeInfo {
    const reference = referenceOf(place);
    if (reference !== undefined) return this.#reference(reference, place["x-kubernetes-map-type"]);
    if (place.type === "array") {
      return {
        kind: "list",
        item: this.#place(place.items ?? {}),
        listType: place["x-kubernetes-list-type"] ?? "atomic",
        keys: place["x-kubernetes-list-map-keys"] ?? [],
      };
    }
    if (place.type === "object") {
      const value = this.#place(place.additionalProperties ?? {});
      return { kind: "map", value, mapType: place["x-kubernetes-map-type"] ?? "granular" };
    }
    // Without a type are raw JSON and the unions of CRD schemas (`JSONSchemaPropsOrArray`). Those have decoders of their own in Kubernetes,
    // which report no unknown field either.
    return place.type === undefined ? { kind: "any" } : scalar(place.type, place);
  }

  /** A place may say otherwise than its type how it merges (`PersistentVolumeSpec.claimRef`). */
  #reference(name: string, mapType: StructInfo["mapType"] | undefined): TypeInfo {
    const typeInfo = this.named(name) ?? { kind: "any" };
    return typeInfo.kind === "struct" && mapType !== undefined ? { ...typeInfo, mapType } : typeInfo;
  }
}

function scalar(type: ScalarInfo["type"], { format, enum: values }: OpenApiSchema): ScalarInfo {
  return { kind: "scalar", type, format, enum: values };
}

/** The way each JSON field of a message is printed, inlined messages included. */
function presenceOf(message: string): Map<string, Presence> {
  const presences = new Map<string, Presence>();
  for (const { jsonName, presence, type } of protobufMessage(message) ?? []) {
    if (presence === "inline") for (const [name, inner] of presenceOf(type)) presences.set(name, inner);
    else if (jsonName !== null) presences.set(jsonName, presence);
  }
  return presences;
}

function isPatchStrategy(text: string): text is "merge" | "replace" | "retainKeys" {
  return text === "merge" || text === "replace" || text === "retainKeys";
}

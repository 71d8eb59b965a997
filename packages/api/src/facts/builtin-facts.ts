// Facts of built-in types, from their published schemas and (for presence) their protobuf messages.
import type { GroupVersionKind } from "../resource.js";
import type { FieldFacts, Presence, ScalarFacts, StructFacts, TypeFacts } from "../type-facts.js";
import { lazy } from "./lazy.js";
import { type OpenApiSchema, openApiSchema, referenceOf, schemaNameOf } from "./openapi-schema.js";
import { protobufMessage, protobufNameOf } from "./protobuf-messages.js";

/** Types whose JSON the schema does not say exactly. */
const special: readonly (readonly [string, TypeFacts])[] = [
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { kind: "scalar", type: "string", format: "quantity" }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", { kind: "any" }],
  [
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
    { kind: "scalar", type: "string", format: "micro-time" },
  ],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", { kind: "any" }],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { kind: "scalar", type: "int-or-string" }],
];

const types = lazy(() => new BuiltinTypes());

/** The facts of one built-in type, such as `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`. */
export function typeFacts(schemaName: string): TypeFacts | undefined {
  return types().named(schemaName);
}

/** The facts of a built-in kind; undefined for kinds the server does not have. */
export function kindFacts(gvk: GroupVersionKind): StructFacts | undefined {
  const name = schemaNameOf(gvk);
  const facts = name === undefined ? undefined : types().named(name);
  return facts?.kind === "struct" ? facts : undefined;
}

class BuiltinTypes {
  readonly #types = new Map<string, TypeFacts>(special);

  named(name: string): TypeFacts | undefined {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const schema = openApiSchema(name);
    return schema === undefined ? undefined : this.#add(name, schema);
  }

  #add(name: string, schema: OpenApiSchema): TypeFacts {
    if (schema.type !== "object") {
      const facts = this.#place(schema);
      this.#types.set(name, facts);
      return facts;
    }
    const fields = new Map<string, FieldFacts>();
    const facts: StructFacts = {
      kind: "struct",
      name,
      fields,
      required: schema.required ?? [],
      mapType: schema["x-kubernetes-map-type"] ?? "granular",
      preserveUnknownFields: false,
    };
    // Known before its fields are: a type may hold itself.
    this.#types.set(name, facts);
    const presence = presenceOf(protobufNameOf(name));
    for (const [field, place] of Object.entries(schema.properties ?? {})) {
      fields.set(field, this.#field(field, place, presence.get(field)));
    }
    return facts;
  }

  #field(name: string, place: OpenApiSchema, presence: Presence | undefined): FieldFacts {
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

  #place(place: OpenApiSchema): TypeFacts {
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
  #reference(name: string, mapType: StructFacts["mapType"] | undefined): TypeFacts {
    const facts = this.named(name) ?? { kind: "any" };
    return facts.kind === "struct" && mapType !== undefined ? { ...facts, mapType } : facts;
  }
}

function scalar(type: ScalarFacts["type"], { format, enum: values }: OpenApiSchema): ScalarFacts {
  return { kind: "scalar", type, format, enum: values };
}

/** How each JSON field of a message prints, inlined messages included. */
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

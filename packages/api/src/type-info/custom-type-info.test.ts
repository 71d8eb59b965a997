import { describe, expect, it } from "vitest";
import type { JSONSchemaProps } from "../generated/apiextensions-v1.js";
import { namedTypeInfo } from "./builtin-type-info.js";
import { typeInfoFromSchema } from "./custom-type-info.js";

const typeInfo = typeInfoFromSchema({
  type: "object",
  required: ["spec"],
  properties: {
    metadata: { type: "object" },
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", format: "int32", default: 1 },
        tier: { type: "string", enum: ["small", "large"] },
        surge: { "x-kubernetes-int-or-string": true },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        steps: { type: "array", items: { type: "string" } },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: { type: "object", properties: { protocol: { type: "string", default: "TCP" } } },
        },
        labels: { type: "object", additionalProperties: { type: "string" } },
        selector: { type: "object", "x-kubernetes-map-type": "atomic", properties: {} },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        anything: { "x-kubernetes-preserve-unknown-fields": true },
        object: { type: "object", "x-kubernetes-embedded-resource": true },
        closed: { type: "object" },
        open: { type: "object", additionalProperties: true },
      },
    },
  },
});

const spec = typeInfo.fields.get("spec")?.type;
const field = (name: string) => (spec?.kind === "struct" ? spec.fields.get(name) : undefined);
const objectMeta = namedTypeInfo("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

describe("typeInfoFromSchema", () => {
  it("gives the object what every object has", () => {
    expect([...typeInfo.fields.keys()].sort()).toEqual(["apiVersion", "kind", "metadata", "spec"]);
    expect(typeInfo.fields.get("metadata")?.type).toBe(objectMeta);
    expect(typeInfo).toMatchObject({ required: ["spec"], mapType: "granular", preserveUnknownFields: false });
  });

  it.each([
    ["size", { kind: "scalar", type: "integer", format: "int32" }],
    ["tier", { kind: "scalar", type: "string", enum: ["small", "large"] }],
    ["surge", { kind: "any" }],
    ["tags", { kind: "list", listType: "set", keys: [] }],
    ["steps", { kind: "list", listType: "atomic", keys: [] }],
    ["ports", { kind: "list", listType: "map", keys: ["port", "protocol"] }],
    ["labels", { kind: "map", mapType: "granular", value: { kind: "scalar", type: "string" } }],
    ["selector", { kind: "struct", mapType: "atomic" }],
    ["free", { kind: "struct", preserveUnknownFields: true, unknownFields: { kind: "any" } }],
    ["anything", { kind: "any" }],
    ["object", { kind: "struct", embeddedResource: true }],
    ["closed", { kind: "struct", preserveUnknownFields: false, unknownFields: undefined }],
    ["open", { kind: "map", value: { kind: "any" } }],
  ])("reads %s", (name, expected) => {
    expect(field(name)?.type).toMatchObject(expected);
  });

  it("keeps defaults, those of list keys too", () => {
    expect(field("size")?.default).toBe(1);
    const ports = field("ports")?.type;
    const item = ports?.kind === "list" && ports.item.kind === "struct" ? ports.item : undefined;
    expect(item?.fields.get("protocol")?.default).toBe("TCP");
  });

  it("gives an embedded object its metadata", () => {
    const embedded = field("object")?.type;
    expect(embedded?.kind === "struct" && embedded.fields.get("metadata")?.type).toBe(objectMeta);
  });

  it("takes any property name as data", () => {
    const properties: Record<string, JSONSchemaProps> = JSON.parse('{"__proto__": {"type": "string"}}');
    const polluted = typeInfoFromSchema({ type: "object", properties });
    expect(polluted.fields.get("__proto__")?.type).toMatchObject({ type: "string" });
  });

  it("refuses a schema without end", () => {
    const schema: { type: string; properties: Record<string, unknown> } = { type: "object", properties: {} };
    schema.properties["again"] = schema;
    expect(() => typeInfoFromSchema(schema as JSONSchemaProps)).toThrow("deeper than 500 levels");
  });
});

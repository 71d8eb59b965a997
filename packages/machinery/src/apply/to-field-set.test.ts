import { kindTypeInfo } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { example, exampleTypeInfo } from "./example-kind.js";
import { printFieldsV1 } from "./fields-v1.js";
import { toFieldSet } from "./to-field-set.js";
import { deducedTypeInfo } from "./type-structure.js";

const fieldsOf = (spec: Record<string, unknown>) => {
  const { "f:spec": fields } = printFieldsV1(toFieldSet(example(spec), exampleTypeInfo));
  return fields;
};

describe("field set of an object", () => {
  it.each([
    ["scalars", { replicas: 1 }, { "f:replicas": {} }],
    ["an atomic list as one", { plain: [1, 2] }, { "f:plain": {} }],
    ["an atomic map as one", { atomicObj: { a: "1" } }, { "f:atomicObj": {} }],
    ["set items by value", { set: ["a", "b"] }, { "f:set": { 'v:"a"': {}, 'v:"b"': {} } }],
    [
      "list items by key, and the keys themselves",
      { map: [{ name: "a", value: 1 }] },
      { "f:map": { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:value": {} } } },
    ],
    [
      "list items by defaulted keys",
      { ports: [{ port: 80 }] },
      { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } } },
    ],
    ["a struct through its fields only", { obj: { a: "1" } }, { "f:obj": { "f:a": {} } }],
    ["an empty struct itself", { obj: {} }, { "f:obj": {} }],
    [
      "map keys even when something is below",
      { nested: { k: { a: "1" } } },
      { "f:nested": { "f:k": { ".": {}, "f:a": {} } } },
    ],
    ["null", { replicas: null, map: null }, { "f:map": {}, "f:replicas": {} }],
    ["nothing for an empty list that merges", { map: [], mode: "x" }, { "f:mode": {} }],
    ["free content key by key", { any: { a: { b: [1] } } }, { "f:any": { "f:a": { ".": {}, "f:b": {} } } }],
    [
      "items that share a key as one",
      { map: [{ name: "a", value: 1 }, { name: "a", extra: "x" }, { name: "b" }] },
      { "f:map": { 'k:{"name":"a"}': {}, 'k:{"name":"b"}': { ".": {}, "f:name": {} } } },
    ],
  ])("are %s", (_what, spec, fields) => {
    expect(fieldsOf(spec)).toEqual(fields);
  });

  it("are those of a granular map with atomic lists where nothing is known of the type", () => {
    const fields = printFieldsV1(toFieldSet({ a: { b: 1 }, list: [{ name: "x" }] }, deducedTypeInfo));
    expect(fields).toEqual({ "f:a": { ".": {}, "f:b": {} }, "f:list": {} });
  });

  it("follow the published types of built-in kinds", () => {
    const typeInfo = kindTypeInfo({ group: "", version: "v1", kind: "Pod" });
    const pod = { metadata: { finalizers: ["a/b"] }, spec: { containers: [{ name: "c", args: ["x"] }] } };
    expect(typeInfo && printFieldsV1(toFieldSet(pod, typeInfo))).toEqual({
      "f:metadata": { "f:finalizers": { 'v:"a/b"': {} } },
      "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:args": {}, "f:name": {} } } },
    });
  });
});

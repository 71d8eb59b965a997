import type { TypeInfo } from "@kubewright/api";
import { typeInfoFromSchema } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { example, exampleTypeInfo } from "./example-kind.js";
import { typeProblems } from "./validate-typed.js";

describe("checking an applied object against its type", () => {
  it.each([
    ["nothing wrong", { replicas: 1, map: [{ name: "a" }], any: { x: [1, "a"] }, mode: null }, undefined],
    [
      "a text for a number",
      { replicas: "many" },
      ".spec.replicas: expected numeric (int or float), got string",
    ],
    [
      "a map for a number",
      { replicas: {} },
      ".spec.replicas: expected numeric (int or float), got map[string]interface {}",
    ],
    [
      "a number for a text",
      { mode: 1 },
      ".spec.mode: expected string, got &value.valueUnstructured{Value:1}",
    ],
    [
      "a list for a text",
      { mode: ["a", true] },
      '.spec.mode: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", true}}',
    ],
    ["a text for a boolean", { paused: "yes" }, ".spec.paused: expected boolean, got &{yes}"],
    ["a text for a list", { set: "a" }, ".spec.set: expected list, got &{a}"],
    ["a list for an object", { obj: [1] }, ".spec.obj: expected map, got &{[1]}"],
    ["an unknown field", { nosuch: 1 }, ".spec.nosuch: field not declared in schema"],
    [
      "an unknown field of an item",
      { map: [{ name: "a", no: 1 }] },
      '.spec.map[name="a"].no: field not declared in schema',
    ],
    [
      "a wrong item of an atomic list",
      { plain: [1, "x"] },
      ".spec.plain[1]: expected numeric (int or float), got string",
    ],
    ["a repeated set item", { set: ["a", "a"] }, '.spec.set: duplicate entries for key [="a"]'],
    [
      "a repeated key",
      { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      "an item without its key",
      { map: [{ value: 1 }] },
      '.spec.map: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      "a null item",
      { map: [null] },
      ".spec.map: element 0: associative list with keys may not have a null element",
    ],
    [
      "a scalar for a keyed item",
      { map: ["a"] },
      ".spec.map: element 0: associative list with keys may not have non-map elements",
    ],
    [
      "a map in a set",
      { set: [{}] },
      ".spec.set: element 0: associative list without keys has an element that's a map type",
    ],
    [
      "a list in a set",
      { set: [[]] },
      ".spec.set: element 0: not supported: associative list with lists as elements",
    ],
    [
      "null in a set",
      { set: [null] },
      ".spec.set: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      "several things at once",
      { replicas: "x", paused: 1 },
      "errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.paused: expected boolean, got &{1}",
    ],
  ])("finds %s", (_what, spec, problem) => {
    expect(typeProblems(example(spec), exampleTypeInfo)).toBe(problem);
  });

  it("lets the keys of a list be partly missing", () => {
    expect(
      typeProblems(example({ ports: [{ protocol: "UDP" }, { protocol: "TCP" }] }), exampleTypeInfo),
    ).toBeUndefined();
  });

  it("keeps unknown fields below a type that keeps them", () => {
    const typeInfo = typeInfoFromSchema({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
    });
    expect(typeProblems({ spec: { a: "1", b: 2 }, more: 1 }, typeInfo)).toBeUndefined();
  });

  it("takes any scalar where a text has a format", () => {
    const typeInfo: TypeInfo = typeInfoFromSchema({
      type: "object",
      properties: {
        when: { type: "string", format: "date-time" },
        port: { "x-kubernetes-int-or-string": true },
      },
    });
    expect(typeProblems({ when: 1, port: "http" }, typeInfo)).toBeUndefined();
    expect(typeProblems({ when: {} }, typeInfo)).toBe(".when: expected any scalar, got &{map[]}");
  });

  it("refuses to nest without end", () => {
    let any: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) any = { a: any };
    expect(typeProblems(example({ any }), exampleTypeInfo)).toMatch(/nested too deeply$/);
  });
});

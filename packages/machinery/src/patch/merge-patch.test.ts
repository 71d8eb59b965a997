import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../apply/example-kind.js";
import { applyMergePatch } from "./merge-patch.js";

const patch = (document: unknown, change: unknown) =>
  applyMergePatch(deepFreeze(document), deepFreeze(change));

describe("a merge patch", () => {
  // The examples of RFC 7386 that patch objects.
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("%j with %j gives %j", (document, change, result) => {
    expect(patch(document, change)).toEqual(result);
  });

  it.each([
    ["drops nulls of objects in new lists", {}, { l: [{ a: null, b: 1 }, null] }, { l: [{ b: 1 }, null] }],
    ["takes a null in the document for absent", { a: null }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    ["keeps __proto__ a key", {}, JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":1}}')],
    ["sets keys every object has", {}, { constructor: "x" }, { constructor: "x" }],
  ])("%s", (_what, document, change, result) => {
    expect(patch(document, change)).toEqual(result);
  });

  it.each([
    [[], "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
    [
      "x",
      "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
    ],
    [true, "error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}"],
    [null, "Invalid JSON Patch"],
  ])("is refused when it is %j", (change, message) => {
    expect(() => patch({}, change)).toThrow(
      expect.objectContaining({ code: 400, reason: "BadRequest", message }),
    );
  });

  it("refuses to nest without end", () => {
    let change: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) change = { a: change };
    expect(() => applyMergePatch({}, change)).toThrow(expect.objectContaining({ code: 400 }));
  });

  const objects = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }));

  it("gives the document itself back when it changes nothing", () => {
    fc.assert(
      fc.property(objects, objects, (document, change) => {
        expect(patch(document, {})).toBe(document);
        // Nulls inside a list that replaces an object go only when it is patched again.
        const twice = patch(patch(document, change), change);
        expect(patch(twice, change)).toBe(twice);
      }),
    );
  });

  it("sets all it says and keeps all it does not mention", () => {
    fc.assert(
      fc.property(objects, objects, (document, change) => {
        const result = patch(document, change) as Record<string, unknown>;
        for (const key of Object.keys(document))
          if (!(key in change)) expect(result[key]).toBe(document[key]);
        for (const [key, value] of Object.entries(change))
          if (value === null) expect(result).not.toHaveProperty(key);
      }),
    );
  });
});

import { ApiError } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../apply/example-kind.js";
import { applyJsonPatch } from "./json-patch.js";

type Operation = Record<string, unknown>;

const patch = (document: unknown, ...operations: Operation[]) =>
  applyJsonPatch(deepFreeze(document), deepFreeze(operations));

function failureOf(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return expect.fail("should fail");
}

describe("a JSON patch", () => {
  it.each<[string, unknown, Operation, unknown]>([
    ["adds a key", { a: 1 }, { op: "add", path: "/b", value: 2 }, { a: 1, b: 2 }],
    ["overwrites a key", { a: 1 }, { op: "add", path: "/a", value: 2 }, { a: 2 }],
    ["adds null for no value", {}, { op: "add", path: "/a" }, { a: null }],
    ["inserts into a list", { l: [1, 3] }, { op: "add", path: "/l/1", value: 2 }, { l: [1, 2, 3] }],
    ["appends with a dash", { l: [1] }, { op: "add", path: "/l/-", value: 2 }, { l: [1, 2] }],
    ["appends behind the last", { l: [1] }, { op: "add", path: "/l/1", value: 2 }, { l: [1, 2] }],
    ["counts from the end", { l: [1, 2] }, { op: "add", path: "/l/-1", value: 3 }, { l: [1, 2, 3] }],
    ["removes a key", { a: 1, b: 2 }, { op: "remove", path: "/a" }, { b: 2 }],
    ["removes an item", { l: [1, 2, 3] }, { op: "remove", path: "/l/1" }, { l: [1, 3] }],
    ["removes the last item", { l: [1, 2] }, { op: "remove", path: "/l/-1" }, { l: [1] }],
    [
      "replaces deep down",
      { a: { b: [{ c: 1 }] } },
      { op: "replace", path: "/a/b/0/c", value: 2 },
      { a: { b: [{ c: 2 }] } },
    ],
    ["replaces a missing key", {}, { op: "replace", path: "/a", value: 1 }, { a: 1 }],
    ["replaces everything", { a: 1 }, { op: "replace", path: "", value: { b: 2 } }, { b: 2 }],
    ["moves", { a: 1, l: [] }, { op: "move", from: "/a", path: "/l/0" }, { l: [1] }],
    ["moves within a list", { l: [1, 2, 3] }, { op: "move", from: "/l/0", path: "/l/2" }, { l: [2, 3, 1] }],
    ["copies", { a: { b: 1 } }, { op: "copy", from: "/a", path: "/c" }, { a: { b: 1 }, c: { b: 1 } }],
    ["copies a missing key as null", {}, { op: "copy", from: "/a", path: "/c" }, { c: null }],
    ["unescapes paths", { "a/b~c": 1 }, { op: "replace", path: "/a~1b~0c", value: 2 }, { "a/b~c": 2 }],
    ["takes ~01 for ~1", { "~1": 1 }, { op: "replace", path: "/~01", value: 2 }, { "~1": 2 }],
    ["takes the empty key", { "": 1 }, { op: "replace", path: "/", value: 2 }, { "": 2 }],
    [
      "takes __proto__ for a key",
      {},
      { op: "add", path: "/__proto__", value: 1 },
      JSON.parse('{"__proto__":1}'),
    ],
  ])("%s", (_what, document, operation, result) => {
    expect(patch(document, operation)).toEqual(result);
  });

  it.each<[string, unknown, Operation]>([
    ["a key", { a: 1 }, { path: "/a", value: 1 }],
    ["an object in any order", { a: { x: 1, y: [2] } }, { path: "/a", value: { y: [2], x: 1 } }],
    ["a missing key against null", {}, { path: "/a", value: null }],
    ["a missing key against nothing", {}, { path: "/a" }],
    ["the whole document", { a: 1 }, { path: "", value: { a: 1 } }],
  ])("tests %s, and gives the document itself back", (_what, document, operation) => {
    expect(patch(document, { op: "test", ...operation })).toBe(document);
  });

  it.each<[string, unknown, Operation, string]>([
    [
      "a failing test",
      { a: 1 },
      { op: "test", path: "/a", value: 2 },
      "testing value /a failed: test failed",
    ],
    [
      "a test of another type",
      { a: "1" },
      { op: "test", path: "/a", value: 1 },
      "testing value /a failed: test failed",
    ],
    [
      "a missing parent",
      {},
      { op: "add", path: "/a/b", value: 1 },
      'doc is missing path: "/a/b": missing value',
    ],
    [
      "a scalar parent",
      { a: 1 },
      { op: "add", path: "/a/b", value: 1 },
      'doc is missing path: "/a/b": missing value',
    ],
    [
      "a path without a slash",
      {},
      { op: "add", path: "a", value: 1 },
      'doc is missing path: "a": missing value',
    ],
    [
      "removing a missing key",
      {},
      { op: "remove", path: "/toString" },
      "Unable to remove nonexistent key: toString: missing value",
    ],
    [
      "removing behind the end",
      { l: [1] },
      { op: "remove", path: "/l/1" },
      "Unable to access invalid index: 1: invalid index referenced",
    ],
    [
      "inserting behind the end",
      { l: [1] },
      { op: "add", path: "/l/3", value: 1 },
      "Unable to access invalid index: 3: invalid index referenced",
    ],
    [
      "too far from the end",
      { l: [1] },
      { op: "remove", path: "/l/-2" },
      "Unable to access invalid index: -2: invalid index referenced",
    ],
    [
      "an index that is none",
      { l: [1] },
      { op: "replace", path: "/l/x", value: 1 },
      "value was not a proper array index: 'x'",
    ],
    [
      "moving from nowhere",
      {},
      { op: "move", from: "/a", path: "/b" },
      "Unable to remove nonexistent key: a: missing value",
    ],
    ["an unknown operation", {}, { op: "toString", path: "/a" }, "Unexpected kind: toString"],
    ["no operation", {}, { path: "/a" }, "Unexpected kind: unknown"],
    ["no path", {}, { op: "add", value: 1 }, "operation missing path field: missing value"],
    [
      "replacing everything by a scalar",
      {},
      { op: "replace", path: "", value: 1 },
      "replace operation value must be object or array",
    ],
  ])("does not apply: %s", (_what, document, operation, why) => {
    const error = failureOf(() => patch(document, operation));
    expect(error).toMatchObject({ code: 422, reason: "Invalid", details: {} });
    expect(error.message).toBe("the server rejected our request due to an error in our request");
    expect((error.cause as Error).message).toBe(why);
  });

  it.each([
    [{}, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
    ["x", "error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"],
    [[1], "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"],
    [
      [{ op: "add", path: 1 }],
      "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string",
    ],
  ])("is refused when it is none: %j", (operations, message) => {
    const error = failureOf(() => applyJsonPatch({}, operations));
    expect([error.code, error.reason, error.message]).toEqual([400, "BadRequest", message]);
  });

  it("has at most ten thousand operations", () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a" }));
    const error = failureOf(() => applyJsonPatch({}, operations));
    expect([error.code, error.reason]).toEqual([413, "RequestEntityTooLarge"]);
    expect(error.message).toBe("The allowed maximum operations in a JSON patch is 10000, got 10001");
    expect(applyJsonPatch({}, operations.slice(1))).toEqual({});
  });

  it("goes on writing in place after a copy", () => {
    const copies = Array.from({ length: 9000 }, (_, index) => ({
      op: "copy",
      from: "/a",
      path: `/c${index}`,
    }));
    const patched = patch({ a: { b: 1 } }, ...copies, { op: "replace", path: "/c0/b", value: 2 });
    expect(patched).toMatchObject({ a: { b: 1 }, c0: { b: 2 }, c1: { b: 1 }, c8999: { b: 1 } });
  });

  it("copies at most three mebibytes", () => {
    const copies = Array.from({ length: 64 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    const error = failureOf(() => patch({ a: ["x"] }, ...copies));
    expect((error.cause as Error).message).toMatch(
      /^Unable to complete the copy, the accumulated size increase/,
    );
  });

  it("keeps copies apart from what they were copied from", () => {
    const result = patch(
      { a: { b: [1] } },
      { op: "add", path: "/a/b/-", value: 2 },
      { op: "copy", from: "/a", path: "/c" },
      { op: "add", path: "/a/b/-", value: 3 },
      { op: "add", path: "/c/b/-", value: 4 },
    );
    expect(result).toEqual({ a: { b: [1, 2, 3] }, c: { b: [1, 2, 4] } });
  });

  it("stays quick with ten thousand operations on a large list, and refuses to go on for ever", () => {
    const list = Array.from({ length: 20_000 }, (_, index) => index);
    const operations = Array.from({ length: 10_000 }, () => ({ op: "add", path: "/l/0", value: 1 }));
    expect(patch({ l: list }, ...operations)).toMatchObject({ l: { length: 30_000 } });
    const appends = operations.map((operation) => ({ ...operation, path: "/l/-" }));
    expect(patch({ l: list }, ...appends)).toMatchObject({ l: { length: 30_000 } });
    const huge = Array.from({ length: 300_000 }, () => 0);
    expect(failureOf(() => patch({ l: huge }, ...operations))).toMatchObject({ code: 413 });
  });

  it("refuses to nest values without end", () => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) });
    const path = "/a".repeat(300);
    expect(patch(nested(300), { op: "add", path: `${path}/a`, value: nested(100) })).toBeDefined();
    const adds = Array.from({ length: 50 }, (_, round) => ({
      op: "add",
      path: `${path.repeat(round + 1)}/a`,
      value: nested(299),
    }));
    expect(failureOf(() => patch(nested(300), ...adds))).toMatchObject({ code: 422 });
    const copy = { op: "copy", from: "/a", path: "/b" };
    expect(failureOf(() => patch(nested(300), ...adds, copy))).toMatchObject({ code: 422 });
  });

  it("does not look at parts of a path that nothing can be at", () => {
    const path = "/a".repeat(1_000_000);
    const began = performance.now();
    for (let round = 0; round < 100; round++)
      for (const op of ["add", "remove", "replace", "test"])
        expect(failureOf(() => patch({ a: { b: 1 } }, { op, path, value: 1 }))).toMatchObject({ code: 422 });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it("shares what it does not touch", () => {
    const document = { a: { b: 1 }, c: { d: 1 } };
    const result = patch(document, { op: "replace", path: "/a/b", value: 2 }) as typeof document;
    expect(result.c).toBe(document.c);
    expect(document).toEqual({ a: { b: 1 }, c: { d: 1 } });
  });

  it("never changes the document, and either applies or says why not", () => {
    const path = fc
      .array(fc.constantFrom("a", "b", "0", "1", "-1", "-", "__proto__"), { maxLength: 3 })
      .map((parts) => parts.map((part) => `/${part}`).join(""));
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path,
      from: path,
      value: fc.jsonValue({ maxDepth: 1 }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
        const document = deepFreeze({ a: { a: [1, 2], b: { a: 1 } }, b: [{ a: 1 }, [0]] });
        try {
          applyJsonPatch(document, deepFreeze(operations));
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });
});

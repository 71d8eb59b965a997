import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FieldSet } from "./field-set.js";
import { describePath } from "./path-element.js";

const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"c"}', 'v:"d"', "i:0");
const sets = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((paths) => FieldSet.of(...paths));

const pathsOf = (set: FieldSet) => new Set([...set.paths()].map(describePath));
const check = (law: (a: FieldSet, b: FieldSet) => void) => fc.assert(fc.property(sets, sets, law));

describe("field set", () => {
  it("is a set of paths: operations are those of sets", () => {
    check((a, b) => {
      const [x, y] = [pathsOf(a), pathsOf(b)];
      expect(pathsOf(a.union(b))).toEqual(new Set([...x, ...y]));
      expect(pathsOf(a.intersection(b))).toEqual(new Set([...x].filter((path) => y.has(path))));
      expect(pathsOf(a.difference(b))).toEqual(new Set([...x].filter((path) => !y.has(path))));
      expect(a.size).toBe(x.size);
      expect(a.isEmpty).toBe(x.size === 0);
    });
  });

  it("is equal to another exactly when they hold the same paths", () => {
    check((a, b) => {
      expect(a.equals(b)).toBe(a.difference(b).isEmpty && b.difference(a).isEmpty);
      expect(a.equals(FieldSet.of(...a.paths()))).toBe(true);
    });
  });

  it("comes back itself from operations that change nothing", () => {
    check((a, b) => {
      const both = a.union(b);
      expect(both.union(b)).toBe(both);
      expect(both.intersection(both.union(a))).toBe(both);
      const rest = a.difference(b);
      expect(rest.difference(b)).toBe(rest);
    });
  });

  it("knows its members", () => {
    const set = FieldSet.of(["f:a", "f:b"], ["f:c"]);
    expect(set.has(["f:a", "f:b"])).toBe(true);
    expect(set.has(["f:a"])).toBe(false);
    expect(set.has(["f:x", "f:b"])).toBe(false);
    expect(set.has([])).toBe(false);
  });

  it("takes everything below with a recursive difference", () => {
    const set = FieldSet.ofFields(["status", "status.phase", "spec.a.b", "spec.a", "spec.c"]);
    const rest = set.recursiveDifference(FieldSet.ofFields(["status", "spec.a"]));
    expect([...pathsOf(rest)]).toEqual([".spec.c"]);
  });

  it("has leaves: members with nothing below them", () => {
    const set = FieldSet.ofFields(["spec", "spec.a", "spec.a.b", "kind"]);
    expect([...pathsOf(set.leaves())]).toEqual([".kind", ".spec.a.b"]);
  });

  it("lists members before what lies deeper", () => {
    const set = FieldSet.ofFields(["a.b", "c", "a"]);
    expect([...set.paths()].map(describePath)).toEqual([".a", ".c", ".a.b"]);
  });
});

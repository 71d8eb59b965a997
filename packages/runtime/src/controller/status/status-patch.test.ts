import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applied } from "../fixtures/merge-patch.js";
import { mergeDifference, type StatusFacts, statusPatch } from "./status-patch.js";

const facts = (current: object, more: Partial<StatusFacts> = {}): StatusFacts => ({
  current: { ...current },
  generation: 3,
  shape: { hasObservedGeneration: false, hasConditions: true, hasConditionGeneration: true },
  now: Date.UTC(2026, 0, 2),
  ...more,
});

describe("the patch for a status", () => {
  test.each<[string, object, object, object | undefined]>([
    ["sets what is named", {}, { ready: 1 }, { ready: 1 }],
    ["leaves what is not named", { note: "x" }, { ready: 1 }, { ready: 1 }],
    ["clears what is undefined", { note: "x", ready: 1 }, { note: undefined }, { note: null }],
    ["is none when all is said already", { ready: 1, list: [1] }, { ready: 1, list: [1] }, undefined],
    ["is none when what is cleared is not there", {}, { note: undefined }, undefined],
    [
      "replaces objects field by field",
      { map: { a: 1, b: 2 } },
      { map: { b: 3, c: 4 } },
      { map: { a: null, b: 3, c: 4 } },
    ],
    ["replaces lists as a whole", { list: [1, 2] }, { list: [2] }, { list: [2] }],
    [
      "takes every key for data",
      {},
      JSON.parse('{"__proto__":{"x":1}}'),
      JSON.parse('{"__proto__":{"x":1}}'),
    ],
  ])("%s", (_, current, said, changes) => {
    expect(statusPatch({ ...said }, facts(current))?.changes).toEqual(changes);
  });

  test("says which generation was observed where there is room for it", () => {
    const shape = { hasObservedGeneration: true, hasConditions: false, hasConditionGeneration: false };
    expect(statusPatch({}, facts({}, { shape }))?.changes).toEqual({ observedGeneration: 3 });
    expect(statusPatch({}, facts({ observedGeneration: 3 }, { shape }))).toBeUndefined();
    expect(statusPatch({ observedGeneration: 1 }, facts({}, { shape }))?.changes).toEqual({
      observedGeneration: 1,
    });
  });

  const old = {
    type: "Ready",
    status: "True",
    reason: "R",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    observedGeneration: 3,
  };
  const ready = (status: "True" | "False", reason = "R") => ({
    conditions: [{ type: "Ready", status, reason }],
  });

  test("keeps the time of a condition that does not turn", () => {
    expect(statusPatch(ready("True"), facts({ conditions: [old] }))).toBeUndefined();
    expect(statusPatch(ready("True", "Other"), facts({ conditions: [old] }))?.changes).toEqual({
      conditions: [{ ...old, reason: "Other" }],
    });
    expect(statusPatch(ready("False"), facts({ conditions: [old] }))?.changes).toEqual({
      conditions: [{ ...old, status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" }],
    });
  });

  test("is locked to the version it was made for when it rewrites conditions of others", () => {
    const theirs = { ...old, type: "Theirs" };
    expect(statusPatch(ready("False"), facts({ conditions: [old] }))?.needsLock).toBe(false);
    expect(statusPatch(ready("False"), facts({ conditions: [old, theirs] }))?.needsLock).toBe(true);
    expect(statusPatch({ note: "x" }, facts({ conditions: [old, theirs] }))?.needsLock).toBe(false);
  });
});

test("a difference applied gives what was wanted", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(1, "a", true), fc.array(fc.nat(2)), tie("map")),
    map: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value"), { maxKeys: 3 }),
  }));
  fc.assert(
    fc.property(value.map, value.map, (one, other) => {
      const [from, to] = [one as Record<string, unknown>, other as Record<string, unknown>];
      const difference = mergeDifference(from, to);
      expect(difference === undefined ? from : applied(from, difference)).toEqual(to);
    }),
  );
});

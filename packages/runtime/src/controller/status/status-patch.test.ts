import { describe, expect, test } from "vitest";
import { type StatusPatchInput, statusPatch } from "./status-patch.js";

const input = (current: object | undefined, more: Partial<StatusPatchInput> = {}): StatusPatchInput => ({
  current: current && { ...current },
  generation: 3,
  shape: { hasObservedGeneration: false, hasConditions: true, hasConditionGeneration: true },
  now: Date.UTC(2026, 0, 2),
  ...more,
});
const set = (name: string, value: unknown) => ({ op: "add", path: `/status/${name}`, value });

describe("the patch for a status", () => {
  test.each<[string, object | undefined, object, readonly object[]]>([
    ["sets what is named, and leaves the rest", { note: "x" }, { ready: 1 }, [set("ready", 1)]],
    [
      "clears what is undefined",
      { note: "x", ready: 1 },
      { note: undefined },
      [{ op: "remove", path: "/status/note" }],
    ],
    ["is none when all is said already", { ready: 1, list: [1] }, { ready: 1, list: [1] }, []],
    ["is none when what is cleared is not there", {}, { note: undefined }, []],
    ["replaces fields as a whole", { map: { a: 1, b: 2 } }, { map: { b: 2 } }, [set("map", { b: 2 })]],
    [
      "takes every key for data",
      {},
      JSON.parse('{"__proto__":1,"a/b~c":2}'),
      [set("__proto__", 1), set("a~1b~0c", 2)],
    ],
    [
      "makes the first status only where there is none",
      undefined,
      { ready: 1 },
      [
        { op: "test", path: "/status", value: null },
        { op: "add", path: "/status", value: { ready: 1 } },
      ],
    ],
  ])("%s", (_, current, said, operations) => {
    expect(statusPatch({ ...said }, input(current))).toEqual(operations);
  });

  test("sets observedGeneration where the kind has the field", () => {
    const shape = { hasObservedGeneration: true, hasConditions: false, hasConditionGeneration: false };
    expect(statusPatch({}, input({}, { shape }))).toEqual([set("observedGeneration", 3)]);
    expect(statusPatch({}, input({ observedGeneration: 3 }, { shape }))).toEqual([]);
    expect(statusPatch({ observedGeneration: 1 }, input({}, { shape }))).toEqual([
      set("observedGeneration", 1),
    ]);
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

  test("keeps lastTransitionTime of a condition whose status stays", () => {
    expect(statusPatch(ready("True"), input({ conditions: [old] }))).toEqual([]);
    expect(statusPatch(ready("True", "Other"), input({ conditions: [old] }))).toEqual([
      set("conditions", [{ ...old, reason: "Other" }]),
    ]);
    expect(statusPatch(ready("False"), input({ conditions: [old] }))).toEqual([
      set("conditions", [{ ...old, status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" }]),
    ]);
  });

  test("leaves conditions of other writers as they were", () => {
    const theirs = { ...old, type: "Theirs" };
    expect(statusPatch(ready("False"), input({ conditions: [old, theirs] }))[0]).toEqual({
      op: "test",
      path: "/status/conditions",
      value: [old, theirs],
    });
    expect(statusPatch({ note: "x" }, input({ conditions: [old, theirs] }))).toEqual([set("note", "x")]);
  });
});

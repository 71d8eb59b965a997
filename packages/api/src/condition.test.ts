import { describe, expect, it } from "vitest";
import {
  type ConditionUpdate,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from "./condition.js";
import { deepFreeze } from "./deep-freeze.js";

const start = Date.UTC(2026, 0, 1);
const later = start + 60_000;
const ready: ConditionUpdate = { type: "Ready", status: "True", reason: "AllUp", message: "3 of 3" };
const list = deepFreeze(setCondition(undefined, ready, start));

describe("setCondition", () => {
  it("adds a condition with the time", () => {
    expect(list).toEqual([{ ...ready, lastTransitionTime: "2026-01-01T00:00:00Z" }]);
  });

  it("returns the same list when nothing changed", () => {
    expect(setCondition(list, ready, later)).toBe(list);
    expect(setCondition(list, { ...ready, lastTransitionTime: "2020-01-01T00:00:00Z" }, later)).toBe(list);
  });

  it("keeps the transition time while the status is the same", () => {
    const next = setCondition(list, { ...ready, message: "still", observedGeneration: 2 }, later);
    expect(next).toEqual([
      { ...ready, message: "still", observedGeneration: 2, lastTransitionTime: "2026-01-01T00:00:00Z" },
    ]);
    expect(setCondition(next, { ...ready, message: "still", observedGeneration: 3 }, later)).not.toBe(next);
    expect(setCondition(next, { ...ready, message: "still", observedGeneration: 2 }, later)).toBe(next);
  });

  it("moves the transition time when the status changes", () => {
    const next = setCondition(list, { type: "Ready", status: "False", reason: "Down" }, later);
    expect(next).toEqual([
      {
        type: "Ready",
        status: "False",
        reason: "Down",
        message: "",
        lastTransitionTime: "2026-01-01T00:01:00Z",
      },
    ]);
  });

  it("takes a time that is given, where there is a transition", () => {
    const given = { ...ready, lastTransitionTime: "2020-01-01T00:00:00Z" };
    expect(setCondition(undefined, given, start)[0]?.lastTransitionTime).toBe("2020-01-01T00:00:00Z");
    expect(setCondition(list, { ...given, status: "False" }, later)[0]?.lastTransitionTime).toBe(
      "2020-01-01T00:00:00Z",
    );
  });

  it("leaves other conditions in their place", () => {
    const two = setCondition(list, { type: "Synced", status: "Unknown", reason: "Starting" }, start);
    const three = setCondition(two, { ...ready, status: "False" }, later);
    expect(three.map(({ type }) => type)).toEqual(["Ready", "Synced"]);
    expect(three[1]).toBe(two[1]);
    expect(list).toHaveLength(1);
  });
});

describe("reading conditions", () => {
  const podConditions = [
    { type: "Ready", status: "False", lastProbeTime: null },
    { type: "Initialized", status: "True", lastProbeTime: null },
  ];
  it("finds a condition of any kind", () => {
    expect(findCondition(podConditions, "Ready")?.lastProbeTime).toBeNull();
    expect(findCondition(podConditions, "Missing")).toBeUndefined();
    expect(findCondition(undefined, "Ready")).toBeUndefined();
  });

  it.each([
    ["Initialized", true, false],
    ["Ready", false, true],
    ["Missing", false, false],
  ])("%s is true: %s, false: %s", (type, isTrue, isFalse) => {
    expect(isConditionTrue(podConditions, type)).toBe(isTrue);
    expect(isConditionFalse(podConditions, type)).toBe(isFalse);
  });
});

describe("removeCondition", () => {
  it("removes one, and returns the same list when there is none", () => {
    expect(removeCondition(list, "Ready")).toEqual([]);
    expect(removeCondition(list, "Other")).toBe(list);
    expect(removeCondition(undefined, "Ready")).toEqual([]);
  });
});

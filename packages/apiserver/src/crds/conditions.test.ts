import { hasCondition, withCondition } from "@kubewright/kinds";
import { describe, expect, it } from "vitest";

const ready = { type: "Ready", status: "True", reason: "R", message: "m" };
const old = { ...ready, lastTransitionTime: "2026-01-01T00:00:00Z" };
const now = "2026-02-02T00:00:00Z";

describe("CRD conditions", () => {
  it.each([undefined, null, []])("are appended to none (%s)", (before) => {
    expect(withCondition(before, ready, now)).toEqual([{ ...ready, lastTransitionTime: now }]);
  });

  it("keep their place, and their transition time while the status stays", () => {
    const other = { ...old, type: "Other" };
    const news = { ...ready, reason: "New" };
    expect(withCondition([old, other], news, now)).toEqual([{ ...old, reason: "New" }, other]);
  });

  it("take the time at which the status changes", () => {
    const news = { ...ready, status: "False" };
    expect(withCondition([old], news, now)).toEqual([{ ...news, lastTransitionTime: now }]);
  });

  it("are equal when all but the time is the same", () => {
    const crd = (conditions: (typeof old)[]) => ({
      spec: { group: "g", names: { kind: "K", plural: "p" }, scope: "Cluster", versions: [] },
      status: { conditions },
    });
    expect(hasCondition(crd([old]), ready)).toBe(true);
    expect(hasCondition(crd([]), ready)).toBe(false);
    expect(hasCondition(crd([{ ...old, message: "other" }]), ready)).toBe(false);
  });
});

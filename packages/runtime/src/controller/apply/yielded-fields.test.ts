import { describe, expect, it } from "vitest";
import { yieldFields } from "./yielded-fields.js";

const declared = { metadata: { name: "web" }, spec: { replicas: 2, paused: false } };
const live = { metadata: { name: "web" }, spec: { replicas: 5, paused: true } };
const paths = ["spec.replicas"];

describe("a yielded field", () => {
  it("is declared as it is while it is ours, so that it is not removed", () => {
    const own = { "f:spec": { "f:replicas": {}, "f:paused": {} } };
    expect(yieldFields(declared, live, own, paths)).toEqual({
      ...declared,
      spec: { replicas: 5, paused: false },
    });
  });

  it("is left out once somebody else has changed it", () => {
    const own = { "f:spec": { "f:paused": {} } };
    expect(yieldFields(declared, live, own, paths)).toEqual({ ...declared, spec: { paused: false } });
  });

  it("is left out where nothing is known of what is ours, and where the live child lacks it", () => {
    expect(yieldFields(declared, live, undefined, paths)).toEqual({ ...declared, spec: { paused: false } });
    const own = { "f:spec": { "f:replicas": {} } };
    expect(yieldFields(declared, {}, own, paths)).toEqual({ ...declared, spec: { paused: false } });
  });

  it("does not change what was declared", () => {
    yieldFields(declared, live, undefined, paths);
    expect(declared.spec.replicas).toBe(2);
  });
});

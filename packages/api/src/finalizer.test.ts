import { describe, expect, it } from "vitest";
import { deepFreeze } from "./deep-freeze.js";
import { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from "./finalizer.js";
import type { KubeObject } from "./object.js";

const name = "example.com/cleanup";
const object: KubeObject = deepFreeze({ metadata: { name: "web", finalizers: ["other"] } });

describe("finalizers", () => {
  it("are added once, after the others", () => {
    const held = addFinalizer(object, name);
    expect(held).toEqual({ metadata: { name: "web", finalizers: ["other", name] } });
    expect(hasFinalizer(held, name)).toBe(true);
    expect(hasFinalizer(object, name)).toBe(false);
    expect(addFinalizer(held, name)).toBe(held);
  });

  it("are removed without touching the others", () => {
    const held = addFinalizer(object, name);
    expect(removeFinalizer(held, name)).toEqual(object);
    expect(removeFinalizer(object, name)).toBe(object);
  });

  it("can be added to an object without metadata", () => {
    expect(addFinalizer({}, name)).toEqual({ metadata: { finalizers: [name] } });
    expect(removeFinalizer({}, name)).toEqual({});
  });
});

describe("isBeingDeleted", () => {
  it.each([
    [{}, false],
    [{ metadata: {} }, false],
    [{ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, true],
  ])("%j: %s", (candidate, expected) => {
    expect(isBeingDeleted(candidate)).toBe(expected);
  });
});

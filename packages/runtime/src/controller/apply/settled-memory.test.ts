import { describe, expect, test } from "vitest";
import type { Difference } from "./field-comparison.js";
import { SettledMemory } from "./settled-memory.js";

const object = (resourceVersion: string, uid = "u") => ({ metadata: { uid, resourceVersion } });
const declared = (text: string) => ({ metadata: { name: text } });
const value = (live: unknown): Difference => ({ path: ".a", place: ["a"], kind: "value", declared: 1, live });
const ownership: Difference = { path: ".b", place: ["b"], kind: "ownership", declared: 1, live: 1 };

describe("a declaration that the server normalizes", () => {
  test("is settled while the object is the one the server returned", () => {
    const memory = new SettledMemory();
    memory.remember(object("5"), declared("a"), [ownership]);
    expect(memory.isSettled(object("5"), declared("a"), [ownership])).toBe(true);
    expect(memory.isSettled(object("6"), declared("a"), [ownership])).toBe(false);
    expect(memory.isSettled(object("5"), declared("b"), [ownership])).toBe(false);
    expect(memory.isSettled(object("5", "other"), declared("a"), [ownership])).toBe(false);
  });

  test("is settled later too, while the values are those the server made of it", () => {
    const memory = new SettledMemory();
    memory.remember(object("5"), declared("a"), [value("filled in")]);
    expect(memory.isSettled(object("6"), declared("a"), [value("filled in")])).toBe(true);
    expect(memory.isSettled(object("6"), declared("a"), [value("changed")])).toBe(false);
    expect(memory.isSettled(object("6"), declared("a"), [value("filled in"), ownership])).toBe(false);
  });

  test("is not settled when its value is missing from the object", () => {
    const memory = new SettledMemory();
    memory.remember(object("5"), declared("a"), [value(undefined)]);
    expect(memory.isSettled(object("6"), declared("a"), [value(undefined)])).toBe(false);
  });

  test("is forgotten once the object holds it literally, and when there are too many", () => {
    const memory = new SettledMemory(2);
    memory.remember(object("1", "a"), declared("a"), [ownership]);
    memory.remember(object("2", "a"), declared("a"), []);
    expect(memory.size).toBe(0);
    for (const uid of ["a", "b", "c"]) memory.remember(object("1", uid), declared("a"), [ownership]);
    expect(memory.size).toBe(2);
    expect(memory.isSettled(object("1", "a"), declared("a"), [ownership])).toBe(false);
  });
});

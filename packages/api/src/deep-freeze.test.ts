import { describe, expect, it } from "vitest";
import { deepFreeze } from "./deep-freeze.js";

describe("deepFreeze", () => {
  it("freezes every object and array inside, and returns the same object", () => {
    const object = { metadata: { labels: { app: "web" } }, list: [{ a: 1 }, [2]], nothing: null };
    expect(deepFreeze(object)).toBe(object);
    expect(() => {
      object.metadata.labels.app = "other";
    }).toThrow(TypeError);
    expect(() => object.list.push([3])).toThrow(TypeError);
    expect(Object.isFrozen(object.list[1])).toBe(true);
  });

  it.each([null, 1, "text", true, undefined])("leaves %j alone", (value) => {
    expect(deepFreeze(value)).toBe(value);
  });

  it("freezes what lies under a __proto__ key", () => {
    const object: unknown = deepFreeze(JSON.parse('{"__proto__": {"a": {}}}'));
    const inner: unknown = Object.getOwnPropertyDescriptor(object, "__proto__")?.value;
    expect(Object.isFrozen(inner)).toBe(true);
    expect(Object.isFrozen(Object.prototype)).toBe(false);
  });

  it("is not overwhelmed by depth or by cycles", () => {
    let deep: object = {};
    const bottom = deep;
    for (let i = 0; i < 200_000; i += 1) deep = { deep };
    deepFreeze(deep);
    expect(Object.isFrozen(bottom)).toBe(true);

    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    expect(Object.isFrozen(deepFreeze(cyclic))).toBe(true);
  });
});

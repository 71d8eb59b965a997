import { describe, expect, it } from "vitest";
import { Registry } from "./registry.js";
import type { ResourceKind } from "./resource-kind.js";

const kind = (group: string, version: string, plural: string, custom = true) =>
  ({ group, version, plural, kind: plural.toUpperCase(), custom }) as ResourceKind;

describe("Registry", () => {
  it("finds resources by path and by kind", () => {
    const registry = new Registry();
    const widgets = kind("g", "v1", "widgets");
    registry.add(widgets);
    expect(registry.find("g", "v1", "widgets")).toBe(widgets);
    expect(registry.findKind("g", "v1", "WIDGETS")).toBe(widgets);
    expect(registry.find("g", "v2", "widgets")).toBeUndefined();
    registry.remove(widgets);
    expect(registry.find("g", "v1", "widgets")).toBeUndefined();
    expect(registry.hasGroupVersion("g", "v1")).toBe(false);
  });

  it("changes the generation of the group version that changed alone, and never uses one twice", () => {
    const registry = new Registry();
    registry.add(kind("a", "v1", "x"));
    registry.add(kind("b", "v1", "x"));
    const [a, b] = [...registry.groupVersions()];
    const before = [a?.generation, b?.generation, registry.generation];
    registry.add(kind("b", "v1", "y"));
    expect(a?.generation).toBe(before[0]);
    expect(b?.generation).toBeGreaterThan(Number(before[2]));
    const second = b?.generation;
    registry.remove({ group: "b", version: "v1", plural: "y" });
    expect(b?.generation).toBeGreaterThan(Number(second));
  });

  it("calls a group native when any of its resources is", () => {
    const registry = new Registry();
    registry.add(kind("mixed", "v2", "mine"));
    registry.add(kind("mixed", "v1", "theirs", false));
    registry.add(kind("custom", "v1", "mine"));
    expect(["mixed", "custom", "absent"].map((group) => registry.isNative(group))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

import type { StoredObject } from "@kubewright/kinds";
import { describe, expect, it } from "vitest";

import type { DeleteOptions } from "./delete-options.js";
import { deletionFinalizers } from "./deletion-finalizers.js";
import type { ResourceKind } from "./resource-kind.js";

type Policy = Pick<Partial<DeleteOptions>, "propagationPolicy" | "orphanDependents">;

const finalizersOf = (finalizers: readonly string[], options: Policy = {}, strategy = {}) =>
  deletionFinalizers(
    { strategy } as ResourceKind,
    { metadata: { name: "a", finalizers } } as StoredObject,
    options as DeleteOptions,
  );

describe("deletionFinalizers", () => {
  it.each<[string, readonly string[], Policy, readonly string[]]>([
    ["keeps those of others", ["a.example/x"], {}, ["a.example/x"]],
    ["adds foregroundDeletion", ["x/y"], { propagationPolicy: "Foreground" }, ["x/y", "foregroundDeletion"]],
    ["replaces one policy by another", ["orphan", "x/y"], { propagationPolicy: "Background" }, ["x/y"]],
    ["keeps what the object says itself", ["orphan", "x/y"], {}, ["orphan", "x/y"]],
    [
      "keeps the order where nothing changes",
      ["orphan", "x/y"],
      { orphanDependents: true },
      ["orphan", "x/y"],
    ],
    ["lets an old option win over what the object says", ["orphan"], { orphanDependents: false }, []],
  ])("%s", (_, present, options, expected) => {
    expect(finalizersOf(present, options)).toEqual(expected);
  });

  it("returns the same list when it stays the same", () => {
    const present = ["foregroundDeletion", "x/y"];
    expect(finalizersOf(present, { propagationPolicy: "Foreground" })).toBe(present);
  });

  it("is fast with as many finalizers as an object has room for", () => {
    const present = Array.from({ length: 150_000 }, (_, index) => `x/${index}`);
    const before = process.cpuUsage();
    expect(finalizersOf(["orphan", ...present], { propagationPolicy: "Orphan" })).toHaveLength(150_001);
    // Looking through all of them for each takes half a minute.
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});

import { describe, expect, test } from "vitest";
import { familiesOf, layout } from "../../packages/dashboard/page/views/graph-layout.js";
import type { ObjectSummary } from "../../packages/dashboard/src/protocol.js";

function object(
  uid: string,
  owners: readonly string[] = [],
  more: Partial<ObjectSummary> = {},
): ObjectSummary {
  return {
    uid,
    name: uid,
    kind: "Thing",
    group: "",
    version: "v1",
    plural: "things",
    custom: false,
    health: "ready",
    owners,
    references: [],
    ...more,
  };
}

const byUid = (objects: readonly ObjectSummary[]) => new Map(objects.map((each) => [each.uid, each]));

describe("the layout of a graph", () => {
  test("owners stand left of what they own, and no two objects on the same place", () => {
    const objects = [object("a"), object("b", ["a"]), object("c", ["a"]), object("d", ["b"]), object("e")];
    const { placed, lines } = layout(objects);
    const at = new Map(placed.map((each) => [each.object.uid, each]));
    expect(at.get("a")?.x).toBeLessThan(at.get("b")?.x ?? 0);
    expect(at.get("b")?.x).toBeLessThan(at.get("d")?.x ?? 0);
    expect(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size).toBe(objects.length);
    expect(lines.filter(({ kind }) => kind === "owns")).toHaveLength(3);
  });

  test("a circle of owners ends", () => {
    expect(layout([object("a", ["b"]), object("b", ["a"])]).placed).toHaveLength(2);
  });

  test("an owner that is not there leaves its child at the left", () => {
    expect(layout([object("a", ["gone"])]).placed).toMatchObject([{ x: 0, y: 0 }]);
  });

  test("references are lines of another kind", () => {
    const objects = [object("web", [], { references: ["Thing//settings"] }), object("settings")];
    expect(layout(objects).lines).toMatchObject([{ kind: "refers" }]);
  });
});

describe("the family of an object", () => {
  test("begins at the topmost owner and brings what is referred to", () => {
    const all = byUid([
      object("top"),
      object("middle", ["top"]),
      object("leaf", ["middle"], { references: ["Thing//settings"] }),
      object("settings"),
      object("stranger"),
    ]);
    expect(familiesOf(all, ["leaf"]).map(({ uid }) => uid)).toEqual(["top", "middle", "leaf", "settings"]);
  });

  test("owners in a circle are a family too", () => {
    expect(familiesOf(byUid([object("a", ["b"]), object("b", ["a"])]), ["a"])).toHaveLength(2);
  });
});

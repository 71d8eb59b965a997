import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashOf } from "./rendezvous.js";
import { decodeMap, emptyMap, encodeMap, withMember, withoutMembers } from "./shard-map.js";
import { ShardView } from "./shard-view.js";

const keys = Array.from({ length: 2_000 }, (_, index) => `shop-${index % 7}/object-${index}`);
const mapOf = (ids: readonly string[]) => ids.reduce(withMember, emptyMap);

/** The owner of each key, and that there is exactly one. */
function owners(ids: readonly string[]): readonly string[] {
  const views = ids.map((id) => new ShardView(id, mapOf(ids), []));
  const found = keys.map((key) => views.filter((view) => view.owns(key)).map(({ me }) => me));
  expect(found.filter(({ length }) => length !== 1)).toEqual([]);
  return found.map(([owner = ""]) => owner);
}

const ids = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,12}$/), { minLength: 2, maxLength: 6 });

describe("sharded keys", () => {
  test("have one owner each, and move only to a member that joins or from one that leaves", () => {
    fc.assert(
      fc.property(ids, (all) => {
        const [newcomer = "", ...before] = all;
        const without = owners(before);
        const together = owners(all);
        const moved = together.filter((owner, index) => owner !== without[index]);
        expect(moved.filter((owner) => owner !== newcomer)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test("are spread evenly over members", () => {
    const counts = new Map<string, number>();
    for (const owner of owners(["one", "two", "three", "four"]))
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(100);
  });

  test("with similar names have hashes far apart", () => {
    expect(new Set(keys.map(hashOf)).size).toBe(keys.length);
  });
});

describe("a sharded key that becomes ours", () => {
  const map = mapOf(["a", "b", "c"]);
  const mine = (laggards: ConstructorParameters<typeof ShardView>[2]) => new ShardView("c", map, laggards);
  const before = new ShardView("a", mapOf(["a", "b"]), []);

  test("waits for the acknowledgement of the member that had it, and of no other", () => {
    const view = mine([{ id: "a", acknowledged: 2 }]);
    const gained = keys.filter((key) => view.owns(key));
    expect(gained.filter((key) => view.mayStart(key))).toEqual(gained.filter((key) => !before.owns(key)));
  });

  test("waits for a member that has not reported yet", () => {
    const view = mine([{ id: "a", acknowledged: -1 }]);
    expect(keys.some((key) => view.mayStart(key))).toBe(false);
  });

  test("waits for no member when all have acknowledged", () => {
    const view = mine([]);
    expect(keys.filter((key) => view.mayStart(key))).toEqual(keys.filter((key) => view.owns(key)));
  });

  test("that was ours all along goes on", () => {
    const view = new ShardView("a", map, [{ id: "b", acknowledged: 2 }]);
    expect(keys.filter((key) => view.mayStart(key))).toEqual(keys.filter((key) => view.owns(key)));
  });
});

test("shard maps survive a round trip through text, and invalid text is refused", () => {
  const map = withoutMembers(mapOf(["a", "b"]), new Set(["a"]));
  expect(map).toEqual({ generation: 3, members: [{ id: "b", since: 2 }] });
  expect(decodeMap(encodeMap(map))).toEqual(map);
  for (const text of [
    undefined,
    "",
    "[]",
    "null",
    '{"generation":"1","members":[]}',
    '{"generation":1,"members":[1]}',
  ])
    expect(decodeMap(text)).toBeUndefined();
});

import { expect, test } from "vitest";
import { seededRandom, uidsFrom } from "./seeded-random.js";

const draw = (random: () => number, count = 50): number[] => Array.from({ length: count }, random);

test("seededRandom: the same seed and purpose give the same numbers", () => {
  expect(draw(seededRandom("a", "names"))).toEqual(draw(seededRandom("a", "names")));
});

test.each([
  ["another seed", seededRandom("b", "names")],
  ["another purpose", seededRandom("a", "uids")],
  ["a seed of another type", seededRandom(1, "names")],
])("seededRandom: %s gives other numbers", (_, other) => {
  expect(draw(other)).not.toEqual(draw(seededRandom("a", "names")));
});

test("seededRandom: numbers are spread evenly from 0 to 1", () => {
  const buckets = new Array<number>(10).fill(0);
  for (const value of draw(seededRandom(7, "spread"), 10_000)) buckets[Math.floor(value * 10)]! += 1;
  expect(Math.min(...buckets)).toBeGreaterThan(850);
  expect(Math.max(...buckets)).toBeLessThan(1150);
});

test("uidsFrom: UIDs are valid and differ", () => {
  const next = uidsFrom(seededRandom(1, "uids"));
  const uids = Array.from({ length: 1000 }, next);
  for (const uid of uids)
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(uids).size).toBe(1000);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedKeys } from "./sorted-keys.js";

const key = fc.stringMatching(/^[ab]\/[a-c]{0,3}$/);

test("SortedKeys: is a sorted set, whatever the order of additions and removals", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 200 }), key, (steps, start) => {
      const keys = new SortedKeys();
      const model = new Set<string>();
      for (const [adding, text] of steps) {
        if (!adding) keys.delete(text);
        else if (!model.has(text)) keys.add(text);
        if (adding) model.add(text);
        else model.delete(text);
      }
      const sorted = [...model].sort();
      expect(keys.size).toBe(sorted.length);
      expect([...keys.from("")]).toEqual(sorted);
      expect([...keys.from(start)]).toEqual(sorted.filter((text) => text >= start));
      expect(keys.countRange("a/", "a/")).toBe(sorted.filter((text) => text.startsWith("a/")).length);
    }),
  );
});

test("SortedKeys: stays sorted over many blocks", () => {
  const keys = new SortedKeys();
  const count = 10_000;
  const texts = Array.from({ length: count }, (_, index) => `k-${(index * 7919) % count}`);
  for (const text of texts) keys.add(text);
  const sorted = texts.toSorted();
  expect([...keys.from("")]).toEqual(sorted);
  expect(keys.countRange("k-12", "k-12")).toBe(sorted.filter((text) => text.startsWith("k-12")).length);
  for (const text of texts.slice(0, 9990)) keys.delete(text);
  expect([...keys.from("")]).toEqual(texts.slice(9990).toSorted());
});

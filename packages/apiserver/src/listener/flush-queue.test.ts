import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FlushQueue } from "./flush-queue.js";

/** The number of entries that were flushed after each round, out of `count`. */
async function rounds(count: number, bytes: number): Promise<number[]> {
  const queue = new FlushQueue();
  const flushed: number[] = [];
  for (let index = 0; index < count; index++)
    queue.add({
      flush() {
        flushed.push(index);
        return bytes;
      },
    });
  const after: number[] = [];
  while (flushed.length < count && after.length < 100) {
    await setImmediate();
    after.push(flushed.length);
  }
  expect(flushed).toEqual(Array.from({ length: count }, (_, index) => index));
  return after;
}

test.each([
  ["few at once", 100, 1_000, [100]],
  ["many in rounds", 300, 1_000, [128, 256, 300]],
  ["those with much to say in more rounds", 5, 600_000, [2, 4, 5]],
])("FlushQueue: flushes %s, in order", async (_, count, bytes, expected) => {
  expect(await rounds(count, bytes)).toEqual(expected);
});

test("FlushQueue: flushes at once as long as there is little, and after that in rounds", async () => {
  const queue = new FlushQueue();
  const flushed: string[] = [];
  const one = (name: string, bytes = 600_000) => ({
    flush() {
      flushed.push(name);
      return bytes;
    },
  });
  expect(queue.tryNow(one("a"))).toBe(true);
  expect(queue.tryNow(one("b"))).toBe(true);
  expect(queue.tryNow(one("c"))).toBe(false);
  expect(flushed).toEqual(["a", "b"]);
  await setImmediate();
  expect(queue.tryNow(one("c"))).toBe(true);
  queue.add(one("d"));
  expect(queue.tryNow(one("e"))).toBe(false);
  await setImmediate();
  expect(flushed).toEqual(["a", "b", "c", "d"]);
});

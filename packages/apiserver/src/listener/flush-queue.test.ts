import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FlushQueue } from "./flush-queue.js";

test("what takes long is flushed a few milliseconds at a stretch, in order", async () => {
  let time = 0;
  const queue = new FlushQueue(() => time);
  const flushed: number[] = [];
  for (let index = 0; index < 40; index++)
    queue.add({
      flush() {
        time += 1;
        flushed.push(index);
      },
    });
  const rounds: number[] = [];
  for (let round = 0; flushed.length < 40 && round < 100; round++) {
    await setImmediate();
    rounds.push(flushed.length);
  }
  expect(rounds.slice(0, 3)).toEqual([8, 16, 24]);
  expect(flushed).toEqual(Array.from({ length: 40 }, (_, index) => index));
});

test("what takes no time is flushed at once, and what comes later later", async () => {
  const queue = new FlushQueue(() => 0);
  let flushed = 0;
  const one = { flush: () => void flushed++ };
  for (let index = 0; index < 1000; index++) queue.add(one);
  expect(flushed).toBe(0);
  await setImmediate();
  expect(flushed).toBe(1000);
  queue.add(one);
  await setImmediate();
  expect(flushed).toBe(1001);
});

import { expect, test } from "vitest";
import { inSlices, TurnQueue, Turns } from "./turns.js";

const queue = new TurnQueue();
const things = Array.from({ length: 1000 }, (_, index) => index);
const busy = (milliseconds: number): void => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};

test("slices make up the whole, in order", async () => {
  const sizes: number[] = [];
  const doubled = await inSlices(queue, things, 300, async (slice) => {
    sizes.push(slice.length);
    return slice.map((thing) => thing * 2);
  });
  expect(doubled).toEqual(things.map((thing) => thing * 2));
  expect(sizes).toEqual([300, 300, 300, 100]);
});

test("others have their turn between slices of long work", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await inSlices(queue, things, 50, (slice) => {
    busy(6);
    return slice;
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

test("a turn is over when it took long", async () => {
  const turns = new Turns(queue);
  expect(turns.isOver).toBe(false);
  busy(6);
  expect(turns.isOver).toBe(true);
  await turns.next();
  expect(turns.isOver).toBe(false);
});

test("those who wait are served in order, each in a round of the event loop of its own", async () => {
  let round = 0;
  const count = (): void => {
    round += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const served = await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      await queue.next();
      return { name, round };
    }),
  );
  clearImmediate(next);
  expect(served.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(new Set(served.map((one) => one.round)).size).toBe(3);
});

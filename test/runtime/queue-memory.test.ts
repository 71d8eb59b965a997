// Queues live as long as their controllers, and keys come and go all the time: two million of them, so that even a byte left
// behind by each would be noticed.
import { expect, test } from "vitest";
import { runAlone } from "./run-alone.js";
import type { QueueWeights } from "./weigh-queue.js";

const keys = 2_000_000;

test("millions of distinct keys leave nothing behind", async () => {
  const weights = (await runAlone("./weigh-queue.ts", keys)) as QueueWeights;
  const { before, after, size, taken } = weights;
  expect(size, "keys of which something is known").toBe(0);
  expect(taken, "each at least once, those that failed twice").toBeGreaterThan(keys);
  expect(after - before, "bytes left behind").toBeLessThan(1_000_000);
}, 600_000);

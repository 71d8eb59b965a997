// Queues live as long as their controllers, and keys come and go all the time. Where CI is set ten million come, else fewer.
import { expect, test } from "vitest";
import { runAlone } from "./run-alone.js";
import type { QueueWeights } from "./weigh-queue.js";

const keys = process.env["CI"] ? 10_000_000 : 1_000_000;

test("millions of distinct keys leave nothing behind", async () => {
  const weights = (await runAlone("./weigh-queue.ts", keys)) as QueueWeights;
  const { before, after, size, taken } = weights;
  expect(size, "keys of which something is known").toBe(0);
  expect(taken, "each at least once, those that failed twice").toBeGreaterThan(keys);
  expect(after - before, "bytes left behind").toBeLessThan(1_000_000);
}, 600_000);

// The memory gate: what a cached object may cost, and what events may leave behind. It fails when a change makes caches
// heavier. Where CI is set 300,000 events pass through, so that even a pointer left behind by each would
// be noticed; else fewer, and with EVENTS=1000000 as many as that.
import { expect, test } from "vitest";
import { runAlone } from "./run-alone.js";
import type { Weights } from "./weigh-informer.js";

const count = 5_000;
const events = Number(process.env["EVENTS"] ?? (process.env["CI"] ? 300_000 : 100_000));

test("a cached object of 1.5 KB stays within its weight, however many events pass", async () => {
  const weights = (await runAlone("./weigh-informer.ts", count, events)) as Weights;
  const { objectSize, synced, settled, after } = weights;
  expect(objectSize).toBeGreaterThan(1_490);
  expect(synced, "bytes for one object").toBeLessThan(1_100);
  expect(settled, "bytes for one object when all have changed").toBeLessThan(1_300);
  // Bounded, whatever passes: the memory of recent texts fills up. One and two million events leave the same 1.5 MB.
  expect((after - settled) * count, `bytes left behind by ${events} events`).toBeLessThan(2_000_000);
}, 600_000);

import { expect, it } from "vitest";
import { TimeToLive } from "./time-to-live.js";

it("grows with the cluster, and shrinks only when it is well below the bound", () => {
  const ttl = new TimeToLive();
  const sizes = [1, 100, 101, 95, 90, 89, 501, 450, 449, 1001, 2001, 1800, 1799, 0];
  expect(sizes.map((size) => ttl.secondsFor(size))).toEqual([
    0, 0, 15, 15, 15, 0, 30, 30, 15, 60, 300, 300, 60, 0,
  ]);
});

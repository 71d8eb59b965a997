import { expect, it } from "vitest";
import { Pauses } from "./pauses.js";

it("scheduler backoff: grows to ten seconds with every failed attempt, and starts anew for a pod that is forgotten", () => {
  const pauses = new Pauses();
  const backoffs: number[] = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    pauses.failed("a", 0);
    backoffs.push(pauses.left("a", 0));
  }
  expect(backoffs).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  expect([pauses.left("a", 9_999), pauses.left("a", 20_000), pauses.left("b", 0)]).toEqual([1, 0, 0]);
  pauses.forget("a");
  pauses.failed("a", 0);
  expect(pauses.left("a", 0)).toBe(0);
});

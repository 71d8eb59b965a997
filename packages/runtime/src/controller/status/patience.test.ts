import { expect, test } from "vitest";
import { Patience } from "./patience.js";

test("a change waits from when it was first seen, and then no longer", () => {
  let now = 100;
  const patience = new Patience(() => now);
  expect(patience.wait("a", 50)).toBe(50);
  now = 130;
  expect(patience.wait("a", 50)).toBe(20);
  expect(patience.wait("b", 50)).toBe(50);
  now = 150;
  expect(patience.wait("a", 50)).toBe(0);
  expect(patience.wait("a", 50)).toBe(50);
});

test("what was written meanwhile starts anew, and a shorter patience counts", () => {
  let now = 0;
  const patience = new Patience(() => now);
  patience.wait("a", 50);
  now = 40;
  patience.end("a");
  expect(patience.wait("a", 50)).toBe(50);
  expect(patience.wait("a", 10)).toBe(10);
});

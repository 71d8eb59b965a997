import { expect, test } from "vitest";
import { Debounce } from "./debounce.js";

test("status debounce: a change waits from when it was first seen, and no longer", () => {
  let now = 100;
  const debounce = new Debounce(() => now);
  expect(debounce.wait("a", 50)).toBe(50);
  now = 130;
  expect(debounce.wait("a", 50)).toBe(20);
  expect(debounce.wait("b", 50)).toBe(50);
  now = 150;
  expect(debounce.wait("a", 50)).toBe(0);
  expect(debounce.wait("a", 50)).toBe(50);
});

test("status debounce: a write starts the wait anew, and the shorter wait counts", () => {
  let now = 0;
  const debounce = new Debounce(() => now);
  debounce.wait("a", 50);
  now = 40;
  debounce.end("a");
  expect(debounce.wait("a", 50)).toBe(50);
  expect(debounce.wait("a", 10)).toBe(10);
});

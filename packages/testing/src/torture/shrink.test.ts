import { expect, test } from "vitest";
import { shrink, type Times } from "./shrink.js";

interface Part {
  readonly name: string;
  readonly time?: number;
}

const times: Times<Part> = { least: 1, read: ({ time }) => time, write: (part, time) => ({ ...part, time }) };
const names = (parts: readonly Part[]): readonly string[] => parts.map(({ name }) => name);

test("shrink: takes every part away that is not needed", async () => {
  const parts = [..."abcdefghij"].map((name) => ({ name }));
  const isFound = async (fewer: readonly Part[]) => names(fewer).includes("c") && names(fewer).includes("i");
  expect(names(await shrink(parts, times, isFound))).toEqual(["c", "i"]);
});

test("shrink: takes away what could be spared only after something else was", async () => {
  const parts = [..."abcd"].map((name) => ({ name }));
  // "a" undoes "d": it is needed as long as "d" is there.
  const isFound = async (fewer: readonly Part[]) =>
    names(fewer).includes("b") && (!names(fewer).includes("d") || names(fewer).includes("a"));
  expect(names(await shrink(parts, times, isFound))).toEqual(["b"]);
});

test("shrink: takes a time to the least, or halves it as often as it can", async () => {
  const parts = [{ name: "any", time: 30_000 }, { name: "long", time: 30_000 }, { name: "none" }];
  const isFound = async (some: readonly Part[]) =>
    some.length === 3 && (some.find(({ name }) => name === "long")?.time ?? 0) >= 5_000;
  expect(await shrink(parts, times, isFound)).toEqual([
    { name: "any", time: 1 },
    { name: "long", time: 7_500 },
    { name: "none" },
  ]);
});

test("shrink: leaves a run of one part with nothing to take away", async () => {
  expect(await shrink([{ name: "only" }], times, async () => false)).toEqual([{ name: "only" }]);
});

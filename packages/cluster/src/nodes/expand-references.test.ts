import { describe, expect, test } from "vitest";
import { expandReferences, maxExpansion, referenceExpander } from "./expand-references.js";

describe("references to variables", () => {
  test.each([
    ["$(A)/$(B)", "1/$(B)"],
    ["$$(A) $", "$(A) $"],
    ["$(a b) $()", "$(a b) $()"],
  ])("%s becomes %s", (text, expected) => {
    expect(expandReferences(text, new Map([["A", "1"]]))).toBe(expected);
  });

  test("that stand for gigabytes stay as they are beyond what a process can be given", () => {
    const known = new Map([["A0", "x".repeat(1_000)]]);
    const expand = referenceExpander(known);
    for (let level = 1; level <= 12; level++) known.set(`A${level}`, expand(`$(A${level - 1})`.repeat(8)));
    const total = [...known.values()].reduce((sum, { length }) => sum + length, 0);
    expect(known.get("A2")).toHaveLength(64_000);
    expect(total).toBeLessThan(maxExpansion + 10_000);
    const words = Array.from({ length: 5_000 }, () => "$(A2)").map(expand);
    expect(words.join("").length).toBeLessThan(maxExpansion + 5_000 * 5);
    expect(words.at(-1)).toBe("$(A2)");
  });
});

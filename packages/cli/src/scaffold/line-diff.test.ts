import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineDiff } from "./line-diff.js";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

describe("what differs is shown with a few lines around it", () => {
  test.each([
    ["a\n", "a\n", ""],
    ["", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b"],
    ["a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"],
    ["a\n", "", "@@ -1 +0,0 @@\n-a"],
  ])("%j to %j", (before, after, diff) => expect(lineDiff(before, after)).toBe(diff));

  test("in several places", () => {
    const before = numbered(20);
    const after = before.replace("line 2\n", "").replace("line 18\n", "line 18\nmore\n");
    expect(lineDiff(before, after).match(/^@@.*$/gm)).toEqual(["@@ -1,5 +1,4 @@", "@@ -16,5 +15,6 @@"]);
  });
});

test("what is kept and added is the new text, what is kept and taken away the old", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
  const side = (diff: string, other: string): readonly string[] =>
    diff
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("@@") && !line.startsWith(other))
      .map((line) => line.slice(1));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
      const diff = lineDiff(joined(before), joined(after));
      if (diff === "") expect(before).toEqual(after);
      else if (before.length < 4 && after.length < 4)
        expect([side(diff, "+"), side(diff, "-")]).toEqual([before, after]);
    }),
  );
});

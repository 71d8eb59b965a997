import { describe, expect, it } from "vitest";
import { warningHeaders } from "./warning-headers.js";

describe("warning headers", () => {
  it.each([
    [[], {}],
    [["a"], { warning: ['299 - "a"'] }],
    [["a", "b", "a"], { warning: ['299 - "a"', '299 - "b"'] }],
    [['say "x" \\ y'], { warning: ['299 - "say \\"x\\" \\\\ y"'] }],
    [["", "two\nlines", "bell\u0007", "half \ud800", "fine"], { warning: ['299 - "fine"'] }],
    [["two\nlines"], {}],
  ])("%j", (warnings, expected) => expect(warningHeaders(warnings)).toEqual(expected));

  it("are truncated when they are too many or too long, at whole characters", () => {
    const { warning = [] } = warningHeaders([
      "😀".repeat(300),
      ...Array.from({ length: 30 }, (_, i) => `${i}${"x".repeat(299)}`),
    ]);
    expect(warning).toHaveLength(16);
    expect(warning[0]).toBe(`299 - "${"😀".repeat(256)}"`);
    expect(warning[15]).toBe(`299 - "14${"x".repeat(254)}"`);
  });

  it("are not truncated when one is long but all fit", () => {
    expect(warningHeaders(["x".repeat(4096)])["warning"]?.[0]).toHaveLength(4096 + 8);
  });
});

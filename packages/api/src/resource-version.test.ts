import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareResourceVersions } from "./resource-version.js";

describe("compareResourceVersions", () => {
  it.each([
    ["1", "1", 0],
    ["9", "10", -1],
    ["0", "1", -1],
    ["9007199254740993", "9007199254740992", 1],
    ["", "1", undefined],
    ["1", "01", undefined],
    ["-1", "1", undefined],
    ["abc", "1", undefined],
    ["1\n", "1", undefined],
  ])("%j and %j: %s", (a, b, expected) => {
    expect(compareResourceVersions(a, b)).toBe(expected);
  });

  it("orders as the numbers do", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 70n), fc.bigInt(0n, 2n ** 70n), (a, b) => {
        expect(compareResourceVersions(`${a}`, `${b}`)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });
});

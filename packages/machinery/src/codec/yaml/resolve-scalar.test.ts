import { describe, expect, it } from "vitest";
import { leastCost } from "../fixtures/least-cost.js";
import { resolvePlain } from "./resolve-scalar.js";

const many = 200_000;

describe("an unquoted YAML scalar", () => {
  it.each([
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["18446744073709551615", 18446744073709551615n],
    ["18446744073709551616", 2 ** 64],
    ["-9223372036854775809", -(2 ** 63)],
    ["0x10000000000000000", "0x10000000000000000"],
    [`0b${"1".repeat(64)}`, 18446744073709551615n],
    [`-0b1${"0".repeat(63)}`, -9223372036854775808n],
    [`-0x${"0".repeat(many)}ff`, -255n],
    [`${"0".repeat(many)}17`, 15n],
    [`${"0".repeat(many)}9`, 9],
    [`0.${"1".repeat(many)}`, 0.1111111111111111],
    [`1${"_".repeat(many)}2`, 12n],
    [`1e${"0".repeat(many)}2`, 100],
    [`1e${"9".repeat(many)}`, `1e${"9".repeat(many)}`],
    ["3".repeat(many), "3".repeat(many)],
    [`1${"0".repeat(many)}!`, `1${"0".repeat(many)}!`],
    ["x".repeat(many), "x".repeat(many)],
  ])("is a number where it fits one (%#)", (text, value) => {
    expect(resolvePlain(text)).toBe(value);
  });

  it("of a great many digits takes a fraction of the time that reading them exactly does", () => {
    const digits = "7".repeat(400_000);
    expect(4 * leastCost(() => resolvePlain(digits))).toBeLessThan(leastCost(() => BigInt(digits)));
  });
});

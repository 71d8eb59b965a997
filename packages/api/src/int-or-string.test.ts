import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseIntOrString, scaleIntOrPercent } from "./int-or-string.js";

describe("scaleIntOrPercent", () => {
  it.each([
    [123, 10, 123, 123],
    ["90%", 100, 90, 90],
    ["90%", 95, 86, 85],
    ["75%", 7, 6, 5],
    ["25%", 10, 3, 2],
    ["0%", 10, 0, 0],
    ["1%", 0, 0, 0],
    ["150%", 3, 5, 4],
    ["-50%", 3, -1, -2],
    ["+50%", 4, 2, 2],
    [0, 10, 0, 0],
  ])("%s of %d: %d up, %d down", (value, total, up, down) => {
    expect(scaleIntOrPercent(value, total, "up")).toBeCloseTo(up, 10);
    expect(scaleIntOrPercent(value, total, "down")).toBeCloseTo(down, 10);
  });

  it.each([
    ["abc", "invalid type: string is not a percentage"],
    ["50", "invalid type: string is not a percentage"],
    ["", "invalid type: string is not a percentage"],
    ["%", 'invalid value "%": strconv.Atoi: parsing "": invalid syntax'],
    ["5.5%", 'invalid value "5.5%": strconv.Atoi: parsing "5.5": invalid syntax'],
    ["1e2%", 'invalid value "1e2%": strconv.Atoi: parsing "1e2": invalid syntax'],
    ["50%%", 'invalid value "50%%": strconv.Atoi: parsing "50%": invalid syntax'],
    [
      "99999999999999999999%",
      'invalid value "99999999999999999999%": strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
  ])("refuses %j", (value, message) => {
    expect(() => scaleIntOrPercent(value, 10, "up")).toThrow(
      new SyntaxError(`invalid value for IntOrString: ${message}`),
    );
  });

  it("rounds up to at most one more than down, and never past the total", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.nat(100_000), (percent, total) => {
        const up = scaleIntOrPercent(`${percent}%`, total, "up");
        const down = scaleIntOrPercent(`${percent}%`, total, "down");
        expect(up - down).toBe((percent * total) % 100 === 0 ? 0 : 1);
        expect(up).toBeLessThanOrEqual(total);
      }),
    );
  });
});

describe("parseIntOrString", () => {
  it.each([
    ["80", 80],
    ["-1", -1],
    ["http", "http"],
    ["25%", "25%"],
    ["2147483648", "2147483648"],
    ["1.5", "1.5"],
    ["", ""],
  ])("%j", (text, expected) => {
    expect(parseIntOrString(text)).toBe(expected);
  });
});

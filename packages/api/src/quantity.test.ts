import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Amount, canonicalQuantity, compareQuantities, isQuantity } from "./quantity.js";

const maxInt64 = 9223372036854775807n;

describe("quantity: canonical form", () => {
  it.each([
    // zero in every dress
    ["0", "0"],
    ["0n", "0"],
    ["0Ki", "0"],
    ["0.0", "0"],
    ["00", "0"],
    ["-0", "0"],
    ["0e5", "0"],
    // decimal suffixes move up as far as nothing is lost
    ["1000", "1k"],
    ["1000M", "1G"],
    ["0.001T", "1G"],
    ["1000u", "1m"],
    ["5000m", "5"],
    ["1080000000n", "1080m"],
    ["1.08", "1080m"],
    ["1.5", "1500m"],
    ["0.5", "500m"],
    ["1234567M", "1234567M"],
    ["100.0350k", "100035"],
    [".0001k", "100m"],
    ["1.G", "1.G"],
    ["1.01E", "1010P"],
    // binary suffixes
    ["1Ki", "1Ki"],
    ["1024Ki", "1Mi"],
    ["307200Ki", "300Mi"],
    ["1025024Mi", "1001Gi"],
    ["0.5Gi", "512Mi"],
    ["1.5Gi", "1536Mi"],
    ["0.025Ti", "27487790694400m"],
    ["8Ki", "8Ki"],
    ["0.5Ki", "512"],
    ["100.035Ki", "102435840m"],
    [".001Ki", "1024m"],
    [".000000001Ki", "1024n"],
    // exponents
    ["1e3", "1e3"],
    ["1000e-12", "1e-9"],
    [".001e12", "1e9"],
    ["0.001e0", "1e-3"],
    ["1e1", "10"],
    ["1e14", "100e12"],
    ["1.3E+6", "1300e3"],
    ["12e6", "12e6"],
    // beyond the largest suffix
    ["12E", "12E"],
    ["1000E", "1e21"],
    ["5000000E", "5e24"],
  ])("prints %s as %s", (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected);
    const negative = expected === "0" ? "0" : `-${expected}`;
    expect(canonicalQuantity(text.startsWith("-") ? text : `-${text}`)).toBe(negative);
  });

  it.each(["1.500", "1E3", "+1", "01", "1.250k", "+3Gi", "1e03", "100.035k"])(
    "gives %s back as written, as the API server does",
    (text) => {
      expect(canonicalQuantity(text)).toBe(text);
    },
  );

  it.each([
    ["3.001n", "4n"],
    ["0.9n", "1n"],
    ["0.0000000001", "1n"],
    ["0.00000012345", "124n"],
    ["1.1E-9", "2e-9"],
    ["0.000000000001Ki", "2n"],
    ["1e-2147483647", "1e-9"],
  ])("rounds %s up to %s", (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected);
    expect(canonicalQuantity(`-${text}`)).toBe(`-${expected}`);
  });

  it.each(["9Ei", "8Ei", "9223372036854775807Ki", "100000000000000000000Ki"])("caps %s", (text) => {
    expect(Amount.parse(text).value()).toBe(maxInt64);
    expect(canonicalQuantity(text)).toBe("9223372036854775807");
    expect(Amount.parse(`-${text}`).value()).toBe(-maxInt64);
  });

  it("keeps decimals beyond an int64", () => {
    expect(canonicalQuantity("9223372036854775808")).toBe("9223372036854775808");
    expect(canonicalQuantity("123456789012345678901234567890")).toBe("123456789012345678901234567890");
    expect(Amount.parse("1Ei").multiply(1024).toString()).toBe("1180591620717411303424");
    expect(Amount.of(1, "BinarySI", 70).toString()).toBe("10e69");
    expect(Amount.of(1, "DecimalSI", -10).toString()).toBe("100e-12");
  });

  it.each([
    [2000, "2000"],
    [1000, "1k"],
    [1025, "1025"],
    [6 * 1024, "6Ki"],
    [-2000, "-2000"],
  ])("prints the binary amount %d as %s", (value, expected) => {
    expect(Amount.of(value, "BinarySI").toString()).toBe(expected);
  });

  it("takes JSON numbers", () => {
    expect(canonicalQuantity(1)).toBe("1");
    expect(canonicalQuantity(0.5)).toBe("500m");
    expect(canonicalQuantity(1e21)).toBe("1e+21");
    expect(isQuantity(Number.NaN)).toBe(false);
    expect(JSON.stringify({ cpu: Amount.parse("0.5") })).toBe('{"cpu":"500m"}');
  });
});

describe("quantity: refusals", () => {
  const formatWrong =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const suffixWrong = "unable to parse quantity's suffix";
  it.each([
    ["", formatWrong],
    ["aoeu", formatWrong],
    ["1.1.M", formatWrong],
    ["1+1.0M", formatWrong],
    ["0.1am", formatWrong],
    [" 1", formatWrong],
    ["1 ", formatWrong],
    ["0.1mi", suffixWrong],
    ["1i", suffixWrong],
    [".5i", suffixWrong],
    ["1ki", suffixWrong],
    ["-3.01e-", suffixWrong],
    ["1e", suffixWrong],
    ["1m5", suffixWrong],
    ["1e2147483648", suffixWrong],
    ["1e4294967297", suffixWrong],
    ["Ei", "unable to parse numeric part of quantity"],
    [".e-10", "unable to parse numeric part of quantity"],
    ["1".repeat(10_001), "unable to parse numeric part of quantity"],
  ])("%j", (text, message) => {
    expect(() => Amount.parse(text)).toThrow(new SyntaxError(message));
    expect(isQuantity(text)).toBe(false);
  });

  it.each(["-", "+", ".", "Ki", "m"])("but a missing number is zero: %j", (text) => {
    expect(canonicalQuantity(text)).toBe("0");
  });

  it("is not slowed down by hostile text", () => {
    for (const text of [
      "0".repeat(1e6),
      `${"0".repeat(1e6)}x`,
      `1${"e".repeat(1e6)}`,
      `1e${"9".repeat(1e6)}`,
    ]) {
      isQuantity(text);
    }
    const huge = Amount.parse("1e2147483647");
    expect(huge.compare(Amount.parse("1"))).toBe(1);
    expect(huge.negate().compare(Amount.parse("-2e2147483647"))).toBe(1);
    expect(huge.value()).toBe(maxInt64);
    expect(huge.negate().milliValue()).toBe(-maxInt64 - 1n);
    expect(huge.toString()).toBe("10e2147483646");
    expect(() => huge.add(Amount.parse("1"))).toThrow(RangeError);
  });
});

describe("quantity: comparison", () => {
  it.each([
    ["0", "0Ki", 0],
    ["100m", "50m", 1],
    ["10000T", "100Gi", 1],
    ["1", "1000m", 0],
    ["1Gi", "1073741824", 0],
    ["1G", "1Gi", -1],
    ["-1", "1n", -1],
    ["0", "-1n", 1],
    ["1e21", "1000E", 0],
    ["9007199254740993", "9007199254740992", 1],
    ["9007199254740993000m", "9007199254740993", 0],
    ["1000000000000.000000001", "1000000000000", 1],
  ] as const)("%s and %s: %d", (a, b, expected) => {
    expect(compareQuantities(a, b)).toBe(expected);
    expect(compareQuantities(b, a)).toBe(expected === 0 ? 0 : -expected);
    expect(Amount.parse(a).equals(Amount.parse(b))).toBe(expected === 0);
  });
});

describe("quantity: arithmetic", () => {
  it.each([
    ["0.5Gi", "1Gi", "1536Mi"],
    ["100m", "1", "1100m"],
    ["1Gi", "1", "1073741825"],
    ["1", "1Gi", "1073741825"],
    ["0", "1Gi", "1Gi"],
    ["1Gi", "0", "1Gi"],
    ["1e3", "1", "1001"],
    ["500m", "-500m", "0"],
    ["9223372036854775807", "1", "9223372036854775808"],
  ])("%s + %s = %s", (a, b, expected) => {
    expect(Amount.parse(a).add(Amount.parse(b)).toString()).toBe(expected);
  });

  it.each([
    ["0", "1Gi", "-1Gi"],
    ["1Gi", "512Mi", "512Mi"],
    ["100m", "1", "-900m"],
    ["10", "-9223372036854775808", "9223372036854775818"],
  ])("%s − %s = %s", (a, b, expected) => {
    expect(Amount.parse(a).subtract(Amount.parse(b)).toString()).toBe(expected);
  });

  it.each([
    ["1500m", 2n, 1500n],
    ["-1500m", -2n, -1500n],
    ["9.5000000001Gi", 10200547329n, 10200547328108n],
    ["-.484785E-1", -1n, -49n],
    ["-.484785E-7466", -1n, -1n],
    ["0.0005", 1n, 1n],
    ["0", 0n, 0n],
    ["1E", 10n ** 18n, maxInt64],
  ])("%s is %d whole and %d thousandths", (text, value, milli) => {
    expect(Amount.parse(text).value()).toBe(value);
    expect(Amount.parse(text).milliValue()).toBe(milli);
  });

  it.each([
    ["9.01", -2, "9010m"],
    ["9.01", -1, "9100m"],
    ["9.01", 1, "10"],
    ["-9.01", 2, "-100"],
    ["0", 5, "0"],
  ])("rounds %s up to 10^%d: %s", (text, exponent, expected) => {
    expect(Amount.parse(text).roundUp(exponent).toString()).toBe(expected);
  });

  it.each([
    ["50k", 50_000n],
    ["3Gi", 3_221_225_472n],
    ["0", 0n],
    ["1000m", undefined],
    ["100E", undefined],
  ])("%s as an int64: %s", (text, expected) => {
    expect(Amount.parse(text).toInt64()).toBe(expected);
  });

  it("gives the nearest double", () => {
    expect(Amount.parse("100m").toNumber()).toBe(0.1);
    expect(Amount.parse("1Gi").toNumber()).toBe(2 ** 30);
    expect(Amount.parse("1e999").toNumber()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("quantity: laws", () => {
  const digits = fc.stringMatching(/^[0-9]{1,25}$/);
  const suffix = fc.constantFrom(
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "e-3",
    "E7",
  );
  const quantity = fc
    .tuple(fc.constantFrom("", "-", "+"), digits, fc.option(digits, { nil: undefined }), suffix)
    .map(
      ([sign, whole, fraction, unit]) => sign + whole + (fraction === undefined ? "" : `.${fraction}`) + unit,
    );

  it("printing keeps the value, and printing again changes nothing", () => {
    fc.assert(
      fc.property(quantity, (text) => {
        const amount = Amount.parse(text);
        const again = Amount.parse(amount.toString());
        expect(again.compare(amount)).toBe(0);
        expect(again.toString()).toBe(amount.toString());
      }),
    );
  });

  it("adding commutes, associates and is undone by subtracting", () => {
    fc.assert(
      fc.property(quantity, quantity, quantity, (x, y, z) => {
        const [a, b, c] = [Amount.parse(x), Amount.parse(y), Amount.parse(z)];
        expect(a.add(b).equals(b.add(a))).toBe(true);
        expect(
          a
            .add(b)
            .add(c)
            .equals(a.add(b.add(c))),
        ).toBe(true);
        expect(a.add(b).subtract(b).equals(a)).toBe(true);
        expect(a.add(a.negate()).sign()).toBe(0);
      }),
    );
  });

  it("compares as the sign of the difference, and adding keeps the order", () => {
    fc.assert(
      fc.property(quantity, quantity, quantity, (x, y, z) => {
        const [a, b, c] = [Amount.parse(x), Amount.parse(y), Amount.parse(z)];
        expect(a.compare(b)).toBe(a.subtract(b).sign());
        expect(a.add(c).compare(b.add(c))).toBe(a.compare(b));
      }),
    );
  });

  it("compares near neighbours exactly", () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 30n),
        fc.bigInt(-2n, 2n),
        fc.integer({ min: 0, max: 12 }),
        (n, d, shift) => {
          const a = Amount.of(n);
          const b = Amount.of((n + d) * 10n ** BigInt(shift), "DecimalSI", -shift);
          expect(a.compare(b)).toBe(d === 0n ? 0 : d > 0n ? -1 : 1);
        },
      ),
    );
  });
});

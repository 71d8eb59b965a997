import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundsOf, formatAddress, parseAddress, parseRange, rangeContains } from "./ip.js";

const family = fc.constantFrom<4 | 6>(4, 6);
const addresses = family.chain((of) =>
  fc
    .bigInt({ min: 0n, max: (1n << BigInt(of === 4 ? 32 : 128)) - 1n })
    .map((value) => ({ family: of, value })),
);

describe("IP addresses", () => {
  it("parse the text they are printed as", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        fc.pre(address.family === 4 || address.value >> 32n !== 0xffffn);
        expect(parseAddress(formatAddress(address))).toMatchObject(address);
      }),
    );
  });

  it.each([
    ["010.0.0.07", { family: 4, leadingZeros: true }],
    ["10.0.0.7", { family: 4, leadingZeros: false, mapped: false, value: 0x0a000007n }],
    ["::ffff:1.2.3.4", { family: 4, mapped: true, value: 0x01020304n }],
    ["::1.2.3.4", { family: 6, value: 0x01020304n }],
    ["2001:db8:0:0:0:0:0:0001", { family: 6, leadingZeros: false }],
  ])("take %s", (text, expected) => {
    expect(parseAddress(text)).toMatchObject(expected);
  });

  it.each(["", "abc", "1.2.3", "1.2.3.400", "1.2.3.4:80", "fe80::1%eth0", "::1::2", "1.2.3.4/24"])(
    "refuse %s",
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );

  it.each([
    ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
  ])("print %s as %s", (text, canonical) => {
    expect(formatAddress(parseAddress(text)!)).toBe(canonical);
  });
});

describe("IP ranges", () => {
  it("have a first and a last address", () => {
    expect(boundsOf(parseRange("10.96.0.5/16")!)).toEqual({ first: 0x0a600000n, last: 0x0a60ffffn });
    expect(rangeContains(parseRange("10.96.0.0/16")!, parseAddress("10.96.255.1")!)).toBe(true);
    expect(rangeContains(parseRange("10.96.0.0/16")!, parseAddress("10.97.0.1")!)).toBe(false);
    expect(rangeContains(parseRange("0.0.0.0/0")!, parseAddress("::1")!)).toBe(false);
  });

  it.each(["10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "/8", "::/129", "10.0.0.0/-1", "a/8"])(
    "refuse %s",
    (text) => {
      expect(parseRange(text)).toBeUndefined();
    },
  );
});

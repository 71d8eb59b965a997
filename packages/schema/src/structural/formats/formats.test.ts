import { describe, expect, it } from "vitest";
import { isKnownFormat, stringFormat } from "./formats.js";

const cases: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> =
  {
    bsonobjectid: {
      good: ["507f1f77bcf86cd799439011"],
      bad: ["507f1f77bcf86cd79943901", "zz7f1f77bcf86cd799439011", ""],
    },
    uri: {
      good: ["http://a.example/x?y=%zz#z", "/path", "urn:isbn:1", "https://u:p@h:80/"],
      bad: ["", "a", "http://a b/", "http://[::1", "/%zz"],
    },
    email: {
      good: ["a@example.com", "A B <a@b>", '"a b"@c.d', "<a@b>"],
      bad: ["nobody", "@b", "a@", "a b@c", "a@b@c", "A <a@b"],
    },
    hostname: {
      good: ["example.com", "a", "1a.example", "ü.example"],
      bad: ["", "-a", "a-.b.c_", "a..b", "example.c1", `${"a".repeat(64)}.com`],
    },
    ipv4: {
      good: ["1.2.3.4", "01.02.03.04", "::ffff:1.2.3.4"],
      bad: ["1.2.3", "256.1.1.1", "1.2.3.4.5", "::1", ""],
    },
    ipv6: {
      good: ["::", "::1", "2001:db8::8a2e:370:7334", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
      bad: ["1.2.3.4", ":::", "1::2::3", "1:2:3:4:5:6:7:8:9", "fe80::1%eth0", "12345::"],
    },
    cidr: {
      good: ["10.0.0.0/8", "::/0", "2001:db8::/32"],
      bad: ["1.2.3.4", "1.2.3.4/33", "::/129", "/8", "a/8"],
    },
    mac: {
      good: ["00:00:5e:00:53:01", "02-00-5e-10-00-00-00-01", "0000.5e00.5301"],
      bad: ["00:00:5e:00:53", "00:00:5e:00:53:0g", "00-00:5e:00:53:01"],
    },
    uuid: {
      good: ["2947288a-2b52-4567-91d0-ed2d7a0f483e", "2947288A2B52456791D0ED2D7A0F483E"],
      bad: ["x", "2947288a-2b52-4567-91d0-ed2d7a0f483"],
    },
    uuid3: { good: ["2947288a-2b52-3567-91d0-ed2d7a0f483e"], bad: ["2947288a-2b52-4567-91d0-ed2d7a0f483e"] },
    uuid4: { good: ["2947288a-2b52-4567-91d0-ed2d7a0f483e"], bad: ["2947288a-2b52-4567-c1d0-ed2d7a0f483e"] },
    uuid5: { good: ["2947288a-2b52-5567-91d0-ed2d7a0f483e"], bad: ["2947288a-2b52-4567-91d0-ed2d7a0f483e"] },
    isbn: { good: ["0321751043", "978-0321751041"], bad: ["0321751044", "978-0321751042", ""] },
    isbn10: { good: ["0321751043", "0-306-40615-2"], bad: ["978-0321751041"] },
    isbn13: { good: ["978-0321751041"], bad: ["0321751043"] },
    creditcard: {
      good: ["4111-1111-1111-1111", "5555 5555 5555 4444"],
      bad: ["4111-1111-1111-1112", "1234"],
    },
    ssn: { good: ["111-11-1111", "111 11 1111"], bad: ["111111111", "111-11-111"] },
    hexcolor: { good: ["#fff", "FFFFFF"], bad: ["#ffff", "#ggg"] },
    rgbcolor: { good: ["rgb(0,1,255)", "rgb( 100 , 1 , 2 )"], bad: ["rgb(256,0,0)", "rgb(1,2)"] },
    byte: { good: ["YWJj", "YWI=", "YQ=="], bad: ["", "***", "YWJ", "Y===", "YQ==YQ=="] },
    password: { good: ["", "anything"], bad: [] },
    date: {
      good: ["2020-02-29", "0001-01-01"],
      bad: ["2019-02-29", "2020-13-01", "2020-00-10", "2020-1-1", "2020-01-00"],
    },
    "date-time": {
      good: ["2020-01-02T03:04:05Z", "2020-01-02t03:04:05.123+01:00"],
      bad: [
        "yesterday",
        "2020-01-02",
        "2020-01-02T24:00:00Z",
        "2020-01-02T03:04:05",
        "2020-02-30T03:04:05Z",
        "2020-01-02T03:60:05Z",
      ],
    },
    duration: {
      good: ["1h30m", "1.5s", "-2ms", "0", "3 days", "1 week 2 hours", "5min"],
      bad: ["5 parsecs", "1", "", "h"],
    },
    "k8s-short-name": { good: ["a", "a-1", "1a"], bad: ["A", "a.b", "-a", "a-", "", "a".repeat(64)] },
    "k8s-long-name": { good: ["a.b", "a-1.b-2"], bad: ["a..b", "A.b", ".a", "a".repeat(254)] },
  };

describe.each(Object.entries(cases))("schema format %s", (format, { good, bad }) => {
  const check = stringFormat(format);
  it("accepts the values Kubernetes accepts", () => {
    expect(good.filter((text) => check?.(text) !== true)).toEqual([]);
  });
  it("refuses the values Kubernetes refuses", () => {
    expect(bad.filter((text) => check?.(text) !== false)).toEqual([]);
  });
});

describe("schema formats", () => {
  it("are known with and without dashes", () => {
    expect(stringFormat("datetime")).toBe(stringFormat("date-time"));
  });

  it("of numbers apply to their own type only", () => {
    expect(isKnownFormat("integer", "int32")).toBe(true);
    expect(isKnownFormat("number", "double")).toBe(true);
    expect(isKnownFormat("string", "int32")).toBe(false);
    expect(isKnownFormat("integer", "float")).toBe(false);
  });

  it("check hostile text in bounded time", () => {
    const long = [
      "a".repeat(1e6),
      "1".repeat(1e6),
      "a.".repeat(5e5),
      " ".repeat(1e6),
      '\\"'.repeat(5e5),
      "<".repeat(1e6),
      "1s".repeat(5e5),
    ];
    const started = performance.now();
    for (const format of Object.keys(cases)) for (const text of long) stringFormat(format)?.(text);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

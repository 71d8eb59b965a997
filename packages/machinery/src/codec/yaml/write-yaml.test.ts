// What is expected here was written by go-yaml v2.4.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseYaml } from "./parse-yaml.js";
import { writeYaml } from "./write-yaml.js";

const message =
  "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

describe("YAML as Go writes it", () => {
  it("folds long lines at the first space after the eightieth character", () => {
    expect(writeYaml({ message, metadata: {} })).toBe(
      "message: 'only the following media types are accepted: application/json;stream=watch,\n" +
        "  application/vnd.kubernetes.protobuf;stream=watch'\nmetadata: {}\n",
    );
    const words = "word ".repeat(20).trim();
    expect(writeYaml({ a: [{ b: words }] })).toBe(
      "a:\n- b: word word word word word word word word word word word word word word word word\n    word word word word\n",
    );
  });

  it.each([
    ["", '""'],
    ["a b", "a b"],
    ["yes", '"yes"'],
    ["1", '"1"'],
    ["1:30", '"1:30"'],
    ["2024-01-01T00:00:00Z", '"2024-01-01T00:00:00Z"'],
    ["2024-13-01", "2024-13-01"],
    ["a: b", "'a: b'"],
    ["a:b", "a:b"],
    ["it's", "it's"],
    ["'x", "'''x'"],
    ["- a", "'- a'"],
    ["-a", "-a"],
    ["{}", "'{}'"],
    [" a", "' a'"],
    ["a\tb", '"a\\tb"'],
    ["é", "é"],
    ["😀", '"\\U0001F600"'],
    ["a\nb", "|-\n  a\n  b"],
    ["a\nb\n", "|\n  a\n  b"],
    ["a\n\n", "|+\n  a\n"],
    [" a\n", "|2\n   a"],
    ["a \nb", '"a \\nb"'],
    ["a\r\nb", '"a\\r\\nb"'],
  ])("writes %j as %s", (text, written) => {
    expect(writeYaml({ k: text })).toBe(`k: ${written}\n`);
  });

  it("puts lists below their keys, and blocks behind dashes", () => {
    expect(writeYaml({ a: [[1, 2], { b: [], c: [null] }], d: true })).toBe(
      "a:\n- - 1\n  - 2\n- b: []\n  c:\n  - null\nd: true\n",
    );
  });

  it("sorts keys with their numbers by value, and letters last", () => {
    expect(writeYaml({ a10: 1, a9: 1, B: 1, a: 1, ".": 1, "f:b": 1 })).toBe(
      ".: 1\nB: 1\na: 1\na9: 1\na10: 1\nf:b: 1\n".replace(".:", ".:"),
    );
  });

  it("gives keys of more than 128 bytes a line of their own", () => {
    const key = "k".repeat(129);
    expect(writeYaml({ [key]: { a: 1 }, z: 1 })).toBe(`? ${key}\n: a: 1\nz: 1\n`);
  });

  it("writes fractions as Go does", () => {
    expect(writeYaml([0.5, 1234567.5, 0.00001, 1e21, 12])).toBe(
      "- 0.5\n- 1.2345675e+06\n- 1e-05\n- 1e+21\n- 12\n",
    );
  });

  it("is read as the value it was made of", () => {
    const value = fc.letrec((tie) => ({
      json: fc.oneof(
        fc.string({ unit: fc.constantFrom(..."ab :#-'\"\n\\{}?é😀\t0123y"), maxLength: 150 }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(fc.string({ unit: fc.constantFrom(..."ab:#- 01\n"), maxLength: 5 }), tie("json"), {
          maxKeys: 3,
        }),
      ),
    })).json;
    fc.assert(
      fc.property(value, (json) => {
        const expected: unknown = JSON.parse(JSON.stringify({ json }));
        expect(parseYaml(Buffer.from(writeYaml({ json }))).value).toEqual(expected);
      }),
    );
  });
});

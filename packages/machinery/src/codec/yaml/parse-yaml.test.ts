import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseYaml } from "./parse-yaml.js";
import { YamlError } from "./yaml-error.js";

const parse = (text: string) => parseYaml(Buffer.from(text));

describe("parsing YAML", () => {
  it.each([
    ["a: yes", { a: true }],
    ["a: off", { a: false }],
    ['a: "yes"', { a: "yes" }],
    ["a: ~\nb:\nc: null", { a: null, b: null, c: null }],
    ["a: 0777\nb: 0x1F\nc: 0b11\nd: 1_000\ne: 0o17", { a: 511, b: 31, c: 3, d: 1000, e: 15 }],
    ["a: 1.0\nb: 1.5\nc: 1e3\nd: .5", { a: 1, b: 1.5, c: 1000, d: 0.5 }],
    [
      "a: 2026-01-01\nb: 2026-01-01T00:00:00Z\nc: 12:30:00",
      { a: "2026-01-01", b: "2026-01-01T00:00:00Z", c: "12:30:00" },
    ],
    ["1: a\ntrue: b\n1.5: c", { "1": "a", true: "b", "1.5": "c" }],
    ['a: !!str 1\nb: !!int "2"', { a: "1", b: 2 }],
    ["a: 1.2.3\nb: v1\nc: -x", { a: "1.2.3", b: "v1", c: "-x" }],
    ["a: |\n  text\n  more\n", { a: "text\nmore\n" }],
    ["a: &x {b: 1}\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["base: &b {x: 1, z: 2}\nd:\n  <<: *b\n  z: 3", { base: { x: 1, z: 2 }, d: { x: 1, z: 3 } }],
    ["d:\n  <<: [{x: 1}, {x: 2, z: 2}]", { d: { x: 1, z: 2 } }],
    ["a: 1\n---\nb: 2\n", { a: 1 }],
    ["# only a comment\n", null],
    ["", null],
    ["- 1\n- 2", [1, 2]],
  ])("reads %j as Kubernetes does", (text, value) => {
    expect(parse(text).value).toEqual(value);
  });

  it("lets the last of two keys win and says which stood twice", () => {
    const { value, duplicates } = parse("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n");
    expect(value).toEqual({ a: 3, b: { c: 2 } });
    expect(duplicates).toEqual([
      {
        message:
          'yaml: unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map',
      },
    ]);
  });

  it("keeps integers of 64 bits exactly, and larger ones as floats", () => {
    expect(parse("a: 9223372036854775807\nb: -9223372036854775808").value).toEqual({
      a: 9223372036854775807n,
      b: -9223372036854775808n,
    });
    expect(parse("a: 18446744073709551615").value).toEqual({ a: 2 ** 64 });
    expect(parse("a: 9007199254740991\nb: 0x10").value).toEqual({ a: 9007199254740991, b: 16 });
  });

  it.each([
    ["a: [1", /^yaml: line 1: /],
    ["a: b: c", /^yaml: line 1: /],
    ["a: *nowhere", /unknown anchor 'nowhere'|alias/i],
    ["a: .inf", /^json: unsupported value: Infinity/],
    ["? {a: 1}\n: 2", /invalid map key/],
    ["~: 1", /unsupported map key/],
    ["a: {<<: 1}", /map merge requires map/],
  ])("refuses %j", (text, message) => {
    expect(() => parse(text)).toThrow(YamlError);
    expect(() => parse(text)).toThrow(message);
  });

  it("refuses alias bombs quickly", () => {
    const levels = Array.from({ length: 12 }, (_, i) =>
      i === 0
        ? "l0: &l0 [x,x,x,x,x,x,x,x,x,x]"
        : `l${i}: &l${i} [${Array(10)
            .fill(`*l${i - 1}`)
            .join()}]`,
    );
    expect(() => parse(levels.join("\n"))).toThrow("excessive aliasing");
    expect(() => parse("a: &a [*a]")).toThrow(YamlError);
    // A long text behind many aliases takes little memory until it is written.
    const long = `a: &a 0.${"1".repeat(50_000)}\nb:\n${"- *a\n".repeat(20_000)}`;
    expect(() => parse(long)).toThrow("excessive aliasing");
  });

  it("refuses absurd nesting", () => {
    for (const text of ["[".repeat(20_000), "{a: ".repeat(20_000), "- ".repeat(5_000)]) {
      expect(() => parse(text)).toThrow(YamlError);
    }
  });

  it("keeps __proto__ as data", () => {
    const value = parse("__proto__: {polluted: true}").value as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
  });

  it("reads JSON of any length as JSON, white space before it included", () => {
    const list = Array.from({ length: 200_000 }, (_, index) => index);
    const text = JSON.stringify({ list }, undefined, 1);
    expect(parse(`\n ${text}`).value).toEqual({ list });
    expect(() => parse(text.replace("{", "# YAML\n{"))).toThrow("send it as JSON");
  });

  it.each([
    ["without quotes", "x".repeat(400_000), "x".repeat(400_000)],
    ["in double quotes", `"${"\\u0041\\n".repeat(50_000)}"`, "A\n".repeat(50_000)],
    ["in single quotes", `'${"''".repeat(200_000)}'`, "'".repeat(200_000)],
    ["in a block", `|\n${"    a\n".repeat(66_666)}`, "a\n".repeat(66_666)],
    ["in a folded block", `>-\n${"    a\n".repeat(50_000)}`, "a ".repeat(50_000).trimEnd()],
  ])("reads a long text %s", (_what, text, value) => {
    expect(parse(`a: ${text}`).value).toEqual({ a: value });
  });

  it("takes JSON as it is, duplicates included", () => {
    expect(parse('{"a":1}').value).toEqual({ a: 1 });
    expect(parse('{"a":1,"a":2}')).toMatchObject({ value: { a: 2 }, duplicates: [{ message: /line 1/ }] });
  });

  it("reads back what is printed", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const clean = JSON.parse(JSON.stringify(value));
        const text = stringify(clean, { version: "1.1" });
        // The library prints a key "<<" without quotes, which makes it a merge key.
        fc.pre(!text.includes("<<:"));
        expect(parse(text).value).toEqual(clean);
      }),
      { numRuns: 200 },
    );
  });

  it("survives arbitrary text", () => {
    const fragment = fc.constantFrom(
      ..."{}[]:,-?&*!|>'\"#%@\n ab1~<.".split(""),
      "*a",
      "&a ",
      "<<: ",
      "- ",
      "!!int ",
      "---\n",
    );
    const survive = (bytes: Uint8Array): void => {
      try {
        parseYaml(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(YamlError);
      }
    };
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (parts) => survive(Buffer.from(parts.join("")))),
      {
        numRuns: 500,
      },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), survive));
  });

  it.each([
    ["a folded text", `a: ${"b\n  ".repeat(100_010)}`],
    ["a block of lines", `a: |\n${"  b\n".repeat(100_010)}`],
    ["tokens", "- a\n".repeat(200_000)],
  ])("refuses too many lines in %s", (_what, text) => {
    expect(() => parse(text)).toThrow("yaml: document is too long; send it as JSON");
  });

  it.each([
    ["blank", "\n"],
    ["of spaces", "  \n"],
    ["of comments", "#\n"],
    ["of a text", "  b\n"],
  ])(
    "refuses a great many lines %s before it looks for the end of what stands before them",
    (_what, line) => {
      expect(() => parse(`a: b\n${line.repeat(200_010)}`)).toThrow(
        "yaml: document is too long; send it as JSON",
      );
    },
  );

  it("reads what has many blank lines", () => {
    expect(parse(`a: b\n${"\n".repeat(50_000)}c: d\n`).value).toEqual({ a: "b", c: "d" });
  });
});

describe("long YAML", () => {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const short = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]));
  const item = fc.oneof(short, fc.array(short), fc.dictionary(fc.string(), short));
  const list = item.map((value) => many(600, (index) => (index % 100 === 0 ? value : { index, text: "x" })));
  const map = item.map((value) =>
    Object.fromEntries(many(600, (index) => [`key-${index}`, index % 100 === 0 ? value : [index, "y"]])),
  );
  const long = fc.oneof(
    list,
    map,
    fc.tuple(list, map),
    fc.record({ a: list, b: item, c: fc.record({ d: map }) }),
  );

  it.each(["any", "flow"] as const)("reads back the same in %s style", (style) => {
    fc.assert(
      fc.property(long, (value) => {
        const clean: unknown = JSON.parse(JSON.stringify(value));
        const text = stringify(clean, {
          version: "1.1",
          collectionStyle: style,
          aliasDuplicateObjects: style === "any",
        });
        expect(parse(text).value).toEqual(clean);
      }),
      { numRuns: 5 },
    );
  });

  const rows = many(1_500, (index) => `  key-${index}: {name: n${index}, value: [1, 2]}`);

  it("knows anchors of a long document, and merge keys at its end", () => {
    const { value } = parse(`base: &b {x: 1}\ndata:\n${rows.join("\n")}\n  <<: *b\n  last: *b\n`);
    expect(value).toMatchObject({ data: { "key-1499": { name: "n1499" }, x: 1, last: { x: 1 } } });
  });

  it.each([
    [
      "a key that stands twice",
      `data:\n${rows.join("\n")}\n  key-7: 1\n`,
      /line 1502: key "key-7" already set/,
    ],
  ])("says where there is %s", (_what, text, message) => {
    expect(parse(text).duplicates[0]?.message).toMatch(message);
  });

  it.each([
    ["in a wrong column", `data:\n${rows.join("\n")}\n   key: 1\n`, /^yaml: line 150[12]: /],
    [
      "in a flow that is not closed",
      `data: [${many(2_000, (index) => `\n  a${index}`).join(",")}\n`,
      /^yaml: line 200[12]: /,
    ],
    [
      "without a comma",
      `data: [${many(2_000, (index) => `\n  "a${index}"`).join(",")}\n  "b" "c"]\n`,
      /^yaml: line 2002: /,
    ],
  ])("says where something is %s", (_what, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

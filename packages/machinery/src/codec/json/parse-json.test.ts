import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxDepth } from "./json-inspection.js";
import { scanJson } from "./json-scanner.js";
import { JsonSyntaxError } from "./json-syntax-error.js";
import { parseJson } from "./parse-json.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (text: string) => parseJson(bytesOf(text), true);
const failure = (bytes: Uint8Array): string => {
  try {
    parseJson(bytes, true);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
  return "accepted";
};

describe("parsing JSON", () => {
  it.each([
    ["{not json", "invalid character 'n' looking for beginning of object key string"],
    ["", "unexpected end of JSON input"],
    ["   ", "unexpected end of JSON input"],
    ['{"a"', "unexpected end of JSON input"],
    ['{"a":"b', "unexpected end of JSON input"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["[1 2]", "invalid character '2' after array element"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["{} {}", "invalid character '{' after top-level value"],
    ["{}x", "invalid character 'x' after top-level value"],
    ["nul", "unexpected end of JSON input"],
    ["nulx", "invalid character 'x' in literal null (expecting 'l')"],
    ["[tru]", "invalid character ']' in literal true (expecting 'e')"],
    ["[-]", "invalid character ']' in numeric literal"],
    ["[01]", "invalid character '1' after array element"],
    ["[1.]", "invalid character ']' after decimal point in numeric literal"],
    ["[1e]", "invalid character ']' in exponent of numeric literal"],
    ['["\\x"]', "invalid character 'x' in string escape code"],
    ['["\\u12g4"]', "invalid character 'g' in \\u hexadecimal character escape"],
    ['["a\nb"]', "invalid character '\\n' in string literal"],
    ['["a\u0000b"]', "invalid character '\\x00' in string literal"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
    ["[1e999]", "json: cannot unmarshal number 1e999 into Go value of type float64"],
  ])("words the error in %j as Go does", (text, message) => {
    expect(failure(bytesOf(text))).toBe(message);
  });

  it.each([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":1,"\\u0061":2}', ["a"]],
    ['{"spec":{"replicas":1,"replicas":2}}', ["spec.replicas"]],
    ['{"l":[{"x":1},{"y":{"z":1,"z":2},"y":1}]}', ["l[1].y.z", "l[1].y"]],
    ['{"a":1,"a":2,"a":3}', ["a"]],
    ['{"a":":","b":"a"}', []],
    ['{"a":{"a":{"a":1}}}', []],
    ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
  ])("finds the keys of %s that stand twice", (text, paths) => {
    expect(parse(text).duplicateFields).toEqual(paths);
  });

  it("lets the last of two keys win", () => {
    expect(parse('{"a":1,"a":{"b":2}}').value).toEqual({ a: { b: 2 } });
  });

  it("does not look for duplicates when nobody asks", () => {
    expect(parseJson(bytesOf('{"a":1,"a":2}'), false)).toMatchObject({
      value: { a: 2 },
      duplicateFields: [],
    });
  });

  it.each([
    ["1.0", "1.0"],
    ["1e3", "1e3"],
    ["100.000", "100.000"],
    ["9223372036854775808", "9223372036854775808"],
    ["-9223372036854775809", "-9223372036854775809"],
  ])("keeps the text of %s", (text, literal) => {
    const { value, literals } = parse(`{"n":${text}}`);
    expect(literals?.get(value as object)?.get("n")).toBe(literal);
  });

  it.each(["1", "0", "-5", "1.5", "123456789012345", "0.25"])(
    "parses %s without remembering its text",
    (text) => {
      const { value, literals } = parse(`{"n":${text}}`);
      expect(value).toEqual({ n: Number(text) });
      expect(literals).toBeUndefined();
    },
  );

  it.each([
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["1152921504606846976", 1152921504606846976n],
    ["9007199254740992", 9007199254740992],
    ["9223372036854775808", 2 ** 63],
    ["9223372036854775807.0", 2 ** 63],
  ])("keeps the integer %s exactly where it has 64 bits", (text, number) => {
    expect(parse(`{"n":[${text}]}`).value).toStrictEqual({ n: [number] });
  });

  it("names the paths of keys that stand twice without writing long ones again and again", () => {
    const paths = (key: string) => parse(`{"${key}":[${'{"a":1,"a":2},'.repeat(2_000)}{}]}`).duplicateFields;
    expect(paths("k")).toHaveLength(100);
    expect(paths("k".repeat(50_000))).toHaveLength(2);
  });

  it("knows no negative zero", () => {
    expect(parse('{"n":-0}').value).toStrictEqual({ n: 0 });
  });

  it("keeps __proto__ as data", () => {
    for (const text of ['{"__proto__":{"polluted":true}}', '{"n":1.0,"__proto__":{"polluted":true}}']) {
      const value = parse(text).value as object;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.hasOwn(value, "__proto__")).toBe(true);
      expect("polluted" in value).toBe(false);
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  it("replaces what is not UTF-8 and lone surrogates, as Go does", () => {
    expect(parse('["\\ud800"]').value).toEqual(["\ufffd"]);
    expect(parse('["\\ud83d\\ude00"]').value).toEqual(["😀"]);
    expect(parseJson(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d), true).value).toEqual(["\ufffd"]);
  });

  it("refuses nesting beyond its limit, however it is written", () => {
    const nested = (depth: number, open: string, close: string) =>
      bytesOf(`${open.repeat(depth)}1${close.repeat(depth)}`);
    expect(failure(nested(maxDepth, "[", "]"))).toBe("accepted");
    expect(failure(nested(maxDepth + 1, "[", "]"))).toBe("invalid character '[' exceeded max depth");
    expect(failure(nested(maxDepth + 1, '{"a":', "}"))).toBe("invalid character '{' exceeded max depth");
    expect(failure(nested(1_000_000, "[", ""))).toBe("invalid character '[' exceeded max depth");
  });

  it("reports at most a hundred duplicates", () => {
    const keys = Array.from({ length: 300 }, (_, i) => `"k${i % 150}":1`);
    expect(parse(`{${keys.join()}}`).duplicateFields).toHaveLength(100);
  });

  it("is not held up by one key that stands very often, very deep", () => {
    const depth = 500;
    const text = `${'{"a":'.repeat(depth)}{${Array(100_000).fill('"k":1').join()}}${"}".repeat(depth)}`;
    const start = process.cpuUsage();
    expect(parse(text).duplicateFields).toHaveLength(1);
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  it("gives what JSON.parse gives, with the scanner too", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const expected = JSON.parse(JSON.stringify(JSON.parse(text)));
        expect(parse(text).value).toEqual(expected);
        expect(scanJson(bytesOf(text)).value).toEqual(expected);
        expect(parse(text).duplicateFields).toEqual(scanJson(bytesOf(text)).duplicateFields);
      }),
    );
  });

  it("accepts exactly what JSON.parse accepts", () => {
    const fragment = fc.constantFrom(
      ...'{}[]:,"\\ 01-.eEtruefalsn\n'.split(""),
      '"a"',
      "1.0",
      "true",
      "\\u00e9",
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (fragments) => {
        const text = fragments.join("");
        let accepted = true;
        try {
          JSON.parse(text);
        } catch {
          accepted = false;
        }
        expect(failure(bytesOf(text)) === "accepted").toBe(accepted);
      }),
      { numRuns: 2000 },
    );
  });

  it("survives arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(typeof failure(bytes)).toBe("string");
      }),
    );
  });
});

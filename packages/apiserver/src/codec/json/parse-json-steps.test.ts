import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sizeOfJson } from "../../storage/freeze-sized.js";
import { leastCost } from "../fixtures/least-cost.js";
import { JsonSyntaxError } from "./json-syntax-error.js";
import { parseJson } from "./parse-json.js";
import { jsonSteps } from "./parse-json-steps.js";

/** In pieces of a few bytes, so that everything is long. */
const pieceSize = 8;

function drained<T>(steps: T): { value: T; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done) return { value, pauses };
  }
}

/** What parsing comes to, good or bad. */
function outcome(parse: () => ReturnType<typeof parseJson>): unknown {
  try {
    const { value, duplicateFields, literals } = parse();
    const texts = [...(literals?.values() ?? [])].map((byKey) => [...byKey]);
    return { text: JSON.stringify(value), duplicateFields, texts };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

const same = (text: string): void => {
  const bytes = Buffer.from(text);
  const inSteps = outcome(() => drained(jsonSteps(bytes, true, pieceSize)).value);
  expect(inSteps).toEqual(outcome(() => parseJson(bytes, true)));
};

// Only the scanner keeps the text of a number that stands alone; such a body is refused whoever reads it.
const isContainer = (text: string): boolean => /^\s*[[{]/.test(text);
const startsWithNumber = (text: string): boolean => /^\s*-?\d/.test(text);

describe("JSON in steps", () => {
  it("is what it is at once, whatever the value", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }).filter(isContainer), fc.nat(4), (text, indent) => {
        same(text);
        same(JSON.stringify(JSON.parse(text), undefined, indent));
      }),
    );
  });

  it("is refused in the same words when something was lost, added or changed", () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat(3),
      insert: fc.constantFrom(
        "",
        ",",
        "]",
        "}",
        "[",
        "{",
        ":",
        '"',
        "1",
        " ",
        "x",
        "1.0",
        '"a":1,',
        "\\ud800",
      ),
    });
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), change, (text, { at, remove, insert }) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + insert + text.slice(place + remove);
        fc.pre(!startsWithNumber(changed));
        same(changed);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '{"a":{"b":[1,2,3,4,5,6]},"a":{"b":[1,2,3,4,5,6]}}',
    '{"__proto__":[1,2,3,4,5,6,7,8],"b":1}',
    "[[1,2,3,4,5,6],,[1,2,3,4,5,6]]",
    "[[1,2,3,4,5,6],]",
    "[,[1,2,3,4,5,6]]",
    "[[1,2,3,4,5,6] 1]",
    "[1 [1,2,3,4,5,6]]",
    '{"a" [1,2,3,4,5,6]}',
    "{1:[1,2,3,4,5,6]}",
    '{"a":1,"b":[1,2,3,4,5,6]} x',
    "[                    ]",
    "x[1,2,3,4,5,6,7,8]",
    "1 [1,2,3,4,5,6,7,8]",
    "{                    }",
    "[1,2,3,4,5,6,7,8}",
    '"a text without any container"',
    "",
  ])("agrees about %s", same);

  it("pauses many times in a long body", () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ name: `item-${index}` })));
    const { value, pauses } = drained(jsonSteps(Buffer.from(text), true));
    expect(value.value).toEqual(JSON.parse(text));
    expect(pauses).toBeGreaterThan(20);
  });

  it.each([
    ["texts", '"some text"'],
    ["what only our scanner reads", "1.0"],
    ["objects", '{"a":["b",{"c":"d"}],"__proto__":"e"}'],
  ])("adds up how large many keys with %s are, without listing them again", (_name, member) => {
    const members = Array.from({ length: 5_000 }, (_, index) => `"!${index}":${member}`).join();
    const { value, size = 0 } = drained(jsonSteps(Buffer.from(`{"data":{${members}}}`), true)).value;
    const exact = sizeOfJson(value as object);
    // The keys of what is long itself may be missing.
    expect(size).toBeLessThanOrEqual(exact);
    expect(size).toBeGreaterThan(exact - 20);
  });

  const long = "x".repeat(20_000);

  it.each([
    ["a number", `{"a":1,"a":"${long}"}`],
    ["a text", `{"a":"${long}","a":1.0}`],
    ["a list", `{"a":["${long}",1],"a":1}`],
    ["an object", `{"a":{"b":{"c":"${long}","d":[]}},"a":1}`],
    ["what had keys twice itself", `{"a":{"b":"${long}","b":2,"c":["${long}"]},"a":{"b":"${long}"}}`],
    ["many things", `{${Array.from({ length: 5_000 }, (_, index) => `"a${index % 1000}":[${index}]`)}}`],
  ])("counts what stands under a key once where %s stood there before", (_name, text) => {
    const { value, size } = drained(jsonSteps(Buffer.from(text), true)).value;
    expect(size).toBe(sizeOfJson(value as object));
  });

  it("says where a key stands twice without writing long paths again and again", () => {
    const text = (key: string) => `{"${key}":[${'{"a":1,"a":2},'.repeat(2_000)}{}]}`;
    const paths = (key: string) => drained(jsonSteps(Buffer.from(text(key)), true)).value.duplicateFields;
    expect(paths("k")).toHaveLength(100);
    expect(paths("k".repeat(50_000))).toHaveLength(2);
  });

  it.each([
    ["keys that stand twice", `{${'"a":1,'.repeat(100_000)}"b":1}`],
    ["long texts", `[${`"${"x".repeat(10_000)}",`.repeat(200)}1.0]`],
  ])("pauses in %s", (_name, text) => {
    expect(drained(jsonSteps(Buffer.from(text), true)).pauses).toBeGreaterThan(25);
  });

  it("takes as long for escapes of half a character as for any others, about", () => {
    const escaped = (letter: string) => Buffer.from(`["${letter.repeat(300_000)}",1.0]`);
    const [whole, half] = [escaped("\\u0041"), escaped("\\ud83d")];
    const cost = (bytes: Buffer): number => leastCost(() => drained(jsonSteps(bytes, true)));
    expect(cost(half)).toBeLessThan(10 * cost(whole) + 10_000);
  });

  it("pauses in what only our scanner reads", () => {
    const text = `[${"1.0,".repeat(20_000)}1]`;
    expect(drained(jsonSteps(Buffer.from(text), true)).pauses).toBeGreaterThan(10);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseYaml } from "./parse-yaml.js";
import { stringifyYaml } from "./stringify-yaml.js";

const read = (text: string): unknown => parseYaml(Buffer.from(text)).value;

const texts = [
  "a\u2028kind: Secret",
  "a\nb\u2028spec: {}",
  "a\u2029b",
  "a\u0085b",
  "\ufeffa",
  "a\u007fb",
  "<<",
  "=",
  "0o17",
  "-0o17",
  "0b1",
  "1_0",
  "1:30",
  ".inf",
  "yes",
  "~",
  "",
  " ",
  "a: b",
  "a #b",
  "- a",
  "---",
  "a\n---\nb",
  "%TAG ! x",
  "!!binary aGk=",
  "&a",
  "*a",
  "{{ .Values.x }}",
  "a\rb",
  "\u0000",
  " a\n b ",
  "\n",
  " \n",
  "\n a\n",
  "a\n\n \n",
  "# a",
];

describe("YAML for kubectl", () => {
  test.each(texts)("has %j as a value and as a key", (text) => {
    const value = { [text]: [text, { [text]: text }] };
    const yaml = stringifyYaml(value);
    expect(read(yaml)).toEqual(value);
    expect(yaml).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
  });

  test("has any JSON value", () => {
    const string = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 8 }),
      fc.constantFrom(...texts),
      fc
        .array(fc.constantFrom(...texts, "0", "o", "_", "e", "+", ".", ":"), { maxLength: 4 })
        .map((all) => all.join("")),
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        string,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(string, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        expect(read(stringifyYaml(value))).toEqual(value);
        expect(read(stringifyYaml({ value }))).toEqual({ value });
      }),
      { numRuns: 1_000 },
    );
  });
});

import { describe, expect, it } from "vitest";
import { booleanParameter, integerParameter } from "./query-parameters.js";

const query = (text: string) => new URLSearchParams(text);

describe("integer query parameter", () => {
  it.each([
    ["", undefined],
    ["n=5", 5],
    ["n=-1", -1],
    ["n=%2B7", 7],
    ["n=1&n=x", 1],
    ["n=9223372036854775807", 2 ** 63],
  ])("%s", (text, expected) => expect(integerParameter(query(text), "n")).toBe(expected));

  it.each([
    ["n=", 'strconv.ParseInt: parsing "": invalid syntax'],
    ["n", 'strconv.ParseInt: parsing "": invalid syntax'],
    ["n=1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ["n=9223372036854775808", 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ["n=-9223372036854775809", 'strconv.ParseInt: parsing "-9223372036854775809": value out of range'],
  ])("%s is refused", (text, message) => expect(() => integerParameter(query(text), "n")).toThrow(message));
});

describe("boolean query parameter", () => {
  it.each([
    ["", undefined],
    ["b", true],
    ["b=true", true],
    ["b=yes", true],
    ["b=false", false],
    ["b=False", false],
    ["b=0", false],
    ["b=0&b=1", false],
  ])("%s", (text, expected) => expect(booleanParameter(query(text), "b")).toBe(expected));
});

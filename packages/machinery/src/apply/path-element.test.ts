import { describe, expect, it } from "vitest";
import {
  describePath,
  fieldElement,
  keyElement,
  PathElementError,
  parseElement,
  sortElements,
  valueElement,
} from "./path-element.js";

describe("path elements", () => {
  it.each([
    [fieldElement("spec"), "f:spec"],
    [keyElement([["name", "a"]]), 'k:{"name":"a"}'],
    [
      keyElement([
        ["port", 80],
        ["protocol", "TCP"],
      ]),
      'k:{"port":80,"protocol":"TCP"}',
    ],
    [valueElement("x"), 'v:"x"'],
    [valueElement(1.5), "v:1.5"],
    [valueElement(true), "v:true"],
    [valueElement("<&>\u2028"), 'v:"\\u003c\\u0026\\u003e\\u2028"'],
  ])("are written as the server writes them: %s", (element, text) => {
    expect(element).toBe(text);
    expect(parseElement(element)).toBe(element);
  });

  it.each([
    ['k:{ "protocol": "TCP", "port": 80.0 }', 'k:{"port":80,"protocol":"TCP"}'],
    ['v: "<"', 'v:"\\u003c"'],
    ["i:007", "i:7"],
    ["z:future", undefined],
  ])("are read in other spellings: %s", (text, element) => {
    expect(parseElement(text)).toBe(element);
  });

  it.each(["", "f", "spec", "k:[]", "k:{", "v:", "i:one"])("are refused when malformed: %j", (text) => {
    expect(() => parseElement(text)).toThrow(PathElementError);
  });

  it("sort as fields, keys, values, indices, each by their content", () => {
    const sorted = [
      "f:10",
      "f:9",
      "f:a",
      "f:\uffee",
      "f:\u{10000}",
      'k:{"name":"a"}',
      'k:{"name":"a","port":1}',
      'k:{"name":"b"}',
      'k:{"port":9}',
      'k:{"port":10}',
      "v:9",
      "v:10",
      'v:"a"',
      "v:false",
      "v:true",
      "v:[1]",
      "v:null",
      "i:2",
      "i:10",
    ];
    expect(sortElements([...sorted].reverse())).toEqual(sorted);
  });

  it.each([
    ["plain texts", (n: number) => `v:"a${n}"`],
    ["fields", (n: number) => `f:a${n}`],
    ["numbers", (n: number) => `v:${n}`],
    ["plain texts and others", (n: number) => (n === 99 ? "v:true" : `v:"a${n}"`)],
  ])("sort the same in any order: %s", (_, element) => {
    const elements = Array.from({ length: 100 }, (_, index) => element((index * 7) % 100));
    expect(sortElements([...elements])).toEqual(sortElements(elements.toReversed()));
  });

  it("are shown to people as the server shows them", () => {
    const path = ["f:spec", 'k:{"name":"a \\"b\\"","port":80}', "f:set", 'v:"x"', "i:0"];
    expect(describePath(path)).toBe('.spec[name="a \\"b\\"",port=80].set[="x"][0]');
  });
});

import { expect, it } from "vitest";
import type { MutableObject } from "../mutable-json.js";
import { scanJson } from "./json-scanner.js";
import { takeKeys } from "./listed-keys.js";
import { jsonSteps } from "./parse-json-steps.js";

const wide = (key: (index: number) => string): string =>
  `{${Array.from({ length: 5_000 }, (_, index) => `${JSON.stringify(key(index))}:${index}`)}}`;

it.each([
  ["words", wide((index) => `k${index}`)],
  ["indexes", wide((index) => `${5_000 - index}`)],
  ["indexes among words", wide((index) => (index % 7 === 0 ? `${index}` : `k${index}`))],
  ["keys that stand twice", wide((index) => `k${index % 4_000}`)],
  ["keys of everyone", wide((index) => ["__proto__", "constructor", `k${index}`][index % 3] ?? "")],
])("those who read %s leave the keys as they would be listed", (_what, text) => {
  const bytes = Buffer.from(text);
  for (const { value } of [jsonSteps(bytes, true, 1024), scanJson(bytes)]) {
    const object = value as MutableObject;
    expect(takeKeys(object)).toEqual(Object.keys(object));
  }
});

it("keys are not remembered once someone may have changed them", () => {
  const object = scanJson(Buffer.from(wide((index) => `k${index}`))).value as MutableObject;
  expect(takeKeys(object)).toHaveLength(5_000);
  delete object["k0"];
  expect(takeKeys(object)).toHaveLength(4_999);
});

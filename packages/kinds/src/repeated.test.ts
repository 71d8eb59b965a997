import { expect, it } from "vitest";
import { repeated } from "./repeated.js";

it.each([
  [[], []],
  [["a", "b"], []],
  [
    ["a", "b", "a", "a", "b"],
    [2, 3, 4],
  ],
  [[undefined, "", undefined], [2]],
])("repeated finds the later duplicates in %j", (values, expected) => {
  expect([...repeated(values)]).toEqual(expected);
});

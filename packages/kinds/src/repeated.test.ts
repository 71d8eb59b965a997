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
])("tells which of %j stood earlier", (values, expected) => {
  expect([...repeated(values)]).toEqual(expected);
});

import { goType } from "@kubewright/api";
import { expect, it } from "vitest";
import { goSyntax, goValue } from "./go-format.js";

it.each([
  [null, "<nil>", "interface {}(nil)", "<nil>"],
  ["a", "a", '"a"', "string"],
  [1, "1", "1", "int64"],
  [1.5, "1.5", "1.5", "float64"],
  [9223372036854775807n, "9223372036854775807", "9223372036854775807", "int64"],
  [true, "true", "true", "bool"],
  [["a", 1], "[a 1]", '[]interface {}{"a", 1}', "[]interface {}"],
  [
    { b: 1, a: "x", c: undefined },
    "map[a:x b:1]",
    'map[string]interface {}{"a":"x", "b":1}',
    "map[string]interface {}",
  ],
])("Go formatting of values: %#", (value, plain, syntax, type) => {
  expect([goValue(value), goSyntax(value), goType(value)]).toEqual([plain, syntax, type]);
});

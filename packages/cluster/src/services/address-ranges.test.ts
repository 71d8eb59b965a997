import { expect, test } from "vitest";
import { isWithin } from "./address-ranges.js";

test.each([
  ["10.96.0.1", ["10.96.0.0/16"], true],
  ["10.97.0.1", ["10.96.0.0/16"], false],
  ["10.97.0.1", ["10.96.0.0/16", "10.97.0.0/24"], true],
  ["fd00::5", ["10.96.0.0/16", "fd00::/108"], true],
  ["fd01::5", ["fd00::/108"], false],
  ["10.96.0.1", [], false],
  ["10.96.0.1", ["nonsense", "10.96.0.0"], false],
  ["nonsense", ["10.96.0.0/16"], false],
])("service address ranges: %s is in %j: %s", (address, ranges, expected) => {
  expect(isWithin(address, ranges)).toBe(expected);
});

import { fieldError } from "@kubewright/api";
import { expect, it } from "vitest";
import { invalid } from "./failures.js";

const kind = { group: "", kind: "Pod" };
const errors = (count: number, value: unknown) =>
  Array.from({ length: count }, (_, index) => fieldError.invalid(`list[${index}]`, value, "is wrong"));

it("an Invalid status reports every error of an object", () => {
  const failure = invalid(kind, "a", errors(3, "x"));
  expect(failure.details?.causes).toHaveLength(3);
  expect(failure.message).toContain('list[2]: Invalid value: "x": is wrong');
});

it.each([
  ["very many", errors(20_000, 1), 10_000],
  ["many that each show one long list", errors(5_000, new Array(100_000).fill("item")), 2],
])("an Invalid status bounds its causes with %s", (_what, found, reported) => {
  expect(invalid(kind, "a", found).details?.causes).toHaveLength(reported);
});

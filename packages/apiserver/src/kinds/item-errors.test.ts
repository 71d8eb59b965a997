import { fieldError } from "@kubewright/api";
import { expect, it } from "vitest";
import { itemErrors } from "./item-errors.js";

const check = (item: number, index: number) => (item < 0 ? [fieldError.required(`list[${index}]`)] : []);

it("finds what is wrong with each item", () => {
  expect(itemErrors([1, -1, 2, -2], check).map(({ field }) => field)).toEqual(["list[1]", "list[3]"]);
  expect(itemErrors(undefined, check)).toEqual([]);
});

it.each([
  [10, 0],
  [10_000, 50],
])("of %i items pauses %i times", (count, pauses) => {
  expect([...itemErrors(new Array<number>(count).fill(1), check)]).toHaveLength(pauses);
});

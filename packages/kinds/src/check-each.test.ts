import { type FieldError, fieldError } from "@kubewright/api";
import { expect, it } from "vitest";
import { checkEach, maxErrors } from "./check-each.js";

const odd = (item: number, index: number): FieldError[] =>
  item % 2 === 0 ? [] : [fieldError.invalid(`list[${index}]`, item, "odd")];
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const fieldsOf = (errors: readonly FieldError[]): string[] => errors.map(({ field }) => field);

it.each([64, 65, 1000])("checkEach finds the errors of a list of %i items in order", (count) => {
  expect(fieldsOf(checkEach(upTo(count), odd))).toEqual(
    upTo(count)
      .filter((index) => index % 2 === 1)
      .map((index) => `list[${index}]`),
  );
});

it.each([64, 65, 1000])("checkEach returns no errors for %i valid items", (count) => {
  expect(checkEach(upTo(count), () => [])).toEqual([]);
});

it("checkEach checks an inner list before the next outer item", () => {
  const lists = upTo(100).map(() => upTo(100));
  const errors = checkEach(lists, (list, at) =>
    checkEach(list, (item, index) => (item === at ? [fieldError.required(`${at}.${index}`)] : [])),
  );
  expect(fieldsOf(errors)).toEqual(upTo(100).map((index) => `${index}.${index}`));
});

it("checkEach stops once there are more errors than a response reports", () => {
  let seen = 0;
  const errors = checkEach(upTo(maxErrors * 3), (item) => {
    seen++;
    return [fieldError.required(`list[${item}]`)];
  });
  expect(errors).toHaveLength(maxErrors);
  expect(seen).toBe(maxErrors);
});

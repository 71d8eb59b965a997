import { type FieldError, fieldError } from "@kubewright/api";
import { expect, it } from "vitest";
import { checkEach, isPutOff } from "./check-each.js";
import { mostErrors } from "./failures.js";

const odd = (item: number, index: number): FieldError[] =>
  item % 2 === 0 ? [] : [fieldError.invalid(`list[${index}]`, item, "odd")];
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const fieldsOf = (errors: readonly FieldError[]): string[] => errors.map(({ field }) => field);

it("finds what is wrong with a short list at once", () => {
  const errors = checkEach(upTo(10), odd);
  expect(isPutOff(errors)).toBe(false);
  expect(errors).toHaveLength(5);
  expect(errors).toBe(errors);
});

it("finds what is wrong with a long list later, in its place", () => {
  const errors = [fieldError.required("before"), ...checkEach(upTo(300), odd), fieldError.required("after")];
  expect(isPutOff(errors)).toBe(true);
  const fields = fieldsOf(errors);
  expect(fields).toHaveLength(152);
  expect([fields[0], fields[1], fields[150], fields[151]]).toEqual([
    "before",
    "list[1]",
    "list[299]",
    "after",
  ]);
});

it("finds nothing wrong with a long list that is right", () => {
  expect(fieldsOf(checkEach(upTo(1000), () => []))).toEqual([]);
});

it("goes into long lists inside of long lists", () => {
  const lists = upTo(100).map(() => upTo(100));
  const errors = checkEach(lists, (list, at) =>
    checkEach(list, (item, index) => (item === at ? [fieldError.required(`${at}.${index}`)] : [])),
  );
  expect(fieldsOf(errors)).toEqual(upTo(100).map((index) => `${index}.${index}`));
});

it("pauses every few items", () => {
  let pauses = 0;
  for (const _pause of checkEach(upTo(800), odd)) pauses++;
  expect(pauses).toBeGreaterThanOrEqual(100);
});

it("looks no further once there are more errors than anyone is told of", () => {
  let seen = 0;
  const errors = checkEach(upTo(mostErrors * 3), (item) => {
    seen++;
    return [fieldError.required(`list[${item}]`)];
  });
  expect(fieldsOf(errors)).toHaveLength(mostErrors);
  expect(seen).toBe(mostErrors);
});

it("looks once, however often the same stands among others", () => {
  let seen = 0;
  const errors = checkEach(upTo(100), (item) => {
    seen++;
    return odd(item, item);
  });
  expect(fieldsOf([...errors, ...errors])).toHaveLength(100);
  expect(seen).toBe(100);
});

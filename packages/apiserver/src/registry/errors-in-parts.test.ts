import { fieldError } from "@kubewright/api";
import { expect, test } from "vitest";
import { mostErrors } from "../request/failures.js";
import { errorsInParts, found } from "./errors-in-parts.js";

/** What a check of numbers finds, and in how many steps: odd ones are wrong. */
function oddOf(count: number) {
  const errors = errorsInParts(
    Array.from({ length: count }, (_, index) => index),
    (some, from) =>
      some.flatMap((value, index) =>
        value % 2 ? [fieldError.invalid(`list[${from + index}]`, value, "odd")] : [],
      ),
  );
  const steps = found(errors);
  let pauses = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return { pauses, fields: value.map(({ field }) => field) };
    pauses++;
  }
}

test.each([
  [0, 0],
  [200, 0],
  [201, 2],
  [1_000, 5],
])("%d things are checked with %d pauses, in order", (count, pauses) => {
  const fields = Array.from({ length: Math.floor(count / 2) }, (_, index) => `list[${index * 2 + 1}]`);
  expect(oddOf(count)).toEqual({ pauses, fields });
});

test("what nobody would be told is not looked for", () => {
  const { fields, pauses } = oddOf(mostErrors * 10);
  expect(fields.length).toBe(mostErrors);
  expect(pauses).toBe((mostErrors * 2) / 200);
});

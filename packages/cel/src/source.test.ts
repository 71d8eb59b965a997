import { expect, test } from "vitest";
import { Source } from "./source.js";

test("shows where a problem is", () => {
  const { message } = new Source("a\n\tb + c").error([{ offset: 3, message: "undeclared 'b'" }]);
  expect(message).toBe("ERROR: <input>:2:2: undeclared 'b'\n |  b + c\n | .^");
});

test("shows no more than a hundred of many problems, and of long lines only the place", () => {
  const text = "#".repeat(60_000);
  const issues = Array.from(text, (_, offset) => ({ offset, message: "unexpected" }));
  const { message } = new Source(text).error(issues);
  expect(message.split("\n")).toHaveLength(101);
  expect(message).toMatch(/59900 more errors were truncated$/);
});

import { expect, test } from "vitest";
import { Source } from "./source.js";

test("CEL compile errors show the source line with the place of a problem", () => {
  const { message } = new Source("a\n\tb + c").error([{ offset: 3, message: "undeclared 'b'" }]);
  expect(message).toBe("ERROR: <input>:2:2: undeclared 'b'\n |  b + c\n | .^");
});

test("CEL compile errors show a hundred problems at most, and of long lines only the place", () => {
  const text = "#".repeat(60_000);
  const issues = Array.from(text, (_, offset) => ({ offset, message: "unexpected" }));
  const { message } = new Source(text).error(issues);
  expect(message.split("\n")).toHaveLength(101);
  expect(message).toMatch(/59900 more errors were truncated$/);
});

import { expect, test } from "vitest";
import { sourceLineOf } from "./source-line.js";

const thrown = (stack: string, cause?: Error): Error => Object.assign(new Error("no", { cause }), { stack });

test.each([
  ["    at reconcile (file:///shop/src/web.ts:12:5)", "src/web.ts:12:5"],
  ["    at async file:///shop/src/web.ts:12:5", "src/web.ts:12:5"],
  ["    at async /shop/src/web.ts:12:5", "src/web.ts:12:5"],
  ["    at new Web (/shop/src/web.ts:12:5)", "src/web.ts:12:5"],
  ["    at /shop/src/with (brackets).ts:1:2", "src/with (brackets).ts:1:2"],
  [
    "    at node:internal/process:1:2\n    at x (/shop/node_modules/a/b.js:1:2)\n    at y (/shop/a.ts:3:4)",
    "a.ts:3:4",
  ],
  ["    at x (/shopping/src/web.ts:12:5)", undefined],
  ["    at x (node:fs:1:2)", undefined],
  ["    at <anonymous>", undefined],
])("the source line of the stack %j is %s", (frames, place) => {
  expect(sourceLineOf(thrown(`Error: no\n${frames}`), "/shop")).toBe(place);
});

test("the source line comes from the cause when the error has none; a value that is no error has none", () => {
  const cause = thrown("Error: no\n    at x (/shop/src/web.ts:1:2)");
  expect(sourceLineOf(thrown("Error: no\n    at y (node:fs:1:2)", cause), "/shop")).toBe("src/web.ts:1:2");
  expect(sourceLineOf("no", "/shop")).toBeUndefined();
});

// The tutorial shows the Guestbook operator as it is, file by file.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const tutorial = readFileSync(new URL("docs/tutorial.md", root), "utf8");
const shown = [...tutorial.matchAll(/```ts\n\/\/ (src\/\S+)\n(.*?)```/gs)].map(
  ([, path = "", code = ""]) => ({
    path,
    code,
  }),
);

test("the tutorial shows every source file", () => {
  expect(shown.map(({ path }) => path)).toEqual([
    "src/api/v1/guestbook.ts",
    "src/controllers/deployment.ts",
    "src/controllers/serving.ts",
    "src/controllers/guestbook.ts",
    "src/main.ts",
  ]);
});

test.each(shown)("$path is shown as it is", ({ path, code }) => {
  expect(code).toBe(readFileSync(new URL(`operators/guestbook/${path}`, root), "utf8"));
});

// The guide to the Guestbook operator shows it as it is, file by file.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const guide = readFileSync(new URL("docs/guides/guestbook.md", root), "utf8");
const shown = [...guide.matchAll(/```ts\n\/\/ (src\/\S+)\n(.*?)```/gs)].map(([, path = "", code = ""]) => ({
  path,
  code,
}));

test("the Guestbook guide shows every source file", () => {
  expect(shown.map(({ path }) => path)).toEqual([
    "src/api/v1/guestbook.ts",
    "src/controllers/deployment.ts",
    "src/controllers/serving.ts",
    "src/controllers/guestbook.ts",
    "src/main.ts",
  ]);
});

test.each(shown)("the Guestbook guide shows $path as it is", ({ path, code }) => {
  expect(code).toBe(readFileSync(new URL(`operators/guestbook/${path}`, root), "utf8"));
});

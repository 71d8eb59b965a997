// The code of the guides and of the packages' READMEs compiles against the packages as they are. What is compiled and run elsewhere (the
// pages of snippets.test.ts, the tutorial) is not repeated here. These pages are compiled, not run: they show ways to use a part, with
// clusters and credentials that a test does not have.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as api from "@kubewright/api";
import * as apiserver from "@kubewright/apiserver";
import * as client from "@kubewright/client";
import * as cluster from "@kubewright/cluster";
import * as runtime from "@kubewright/runtime";
import * as schema from "@kubewright/schema";
import * as testing from "@kubewright/testing";
import * as vitest from "vitest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moduleOf } from "./compiled-pages.js";
import { blocksOf, repository } from "./page-runner.js";
import { preludes } from "./preludes.js";

const exports = new Map(
  Object.entries({
    "@kubewright/api": api,
    "@kubewright/client": client,
    "@kubewright/runtime": runtime,
    "@kubewright/schema": schema,
    "@kubewright/cluster": cluster,
    "@kubewright/testing": testing,
    "@kubewright/apiserver": apiserver,
    vitest,
  }).map(([module, names]) => [module, new Set(Object.keys(names))]),
);
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const pages = [
  ...readdirSync(join(repository, "docs/guides")).map((name) => `docs/guides/${name}`),
  ...readdirSync(join(repository, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `packages/${name}/README.md`),
]
  .filter((page) => !/^docs\/guides\/(guestbook|workload|schedule|torture)\.md$/.test(page))
  .map((page) => ({ page, blocks: blocksOf(read(page)).filter(({ info }) => info === "ts") }))
  .filter(({ blocks }) => blocks.length > 0);

const folder = join(repository, "node_modules/.cache/kubewright-pages");
const fileOf = (page: string): string => `${page.replaceAll(/\W+/g, "-")}.ts`;
let errors: readonly string[] = [];

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = { noUnusedLocals: false, noUnusedParameters: false, rootDir: repository };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: join(repository, "tsconfig.json"),
      compilerOptions: options,
      include: ["*.ts"],
      exclude: [],
    }),
  );
  for (const { page, blocks } of pages) {
    const texts = blocks.map(({ text }) => text);
    writeFileSync(join(folder, fileOf(page)), moduleOf(texts, preludes[page] ?? "", exports));
  }
  try {
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "--noEmit", "-p", folder], {
      cwd: folder,
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    errors = String((error as { stdout: unknown }).stdout).split("\n");
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(pages)("$page: its code compiles", ({ page }) => {
  expect(errors.filter((line) => line.includes(fileOf(page)))).toEqual([]);
});

test("the code of pages refers to no other errors", () => {
  expect(
    errors.filter((line) => line !== "" && !pages.some(({ page }) => line.includes(fileOf(page)))),
  ).toEqual([]);
});

// The reference is made of doc comments, command declarations and CRDs; what it would show nothing for is missing there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { entries } from "../../packages/cli/src/registry.js";
// @ts-expect-error a script without types
import { buildTypes } from "../../scripts/build-types.mjs";
// @ts-expect-error a script without types
import { readExports } from "../../site/exports.mjs";
import { repository } from "./page-runner.js";

interface Entry {
  readonly entry: string;
  readonly exports: readonly { name: string; kind: string; doc?: string; source?: string }[];
}

test("every public export of every package has a sentence", () => {
  expect(buildTypes(repository)).toBe(0);
  const read = readExports(repository) as readonly Entry[];
  expect(read.flatMap(({ exports }) => exports).length).toBeGreaterThan(1500);
  const missing = read.flatMap(({ entry, exports }) =>
    exports
      .filter(({ kind, doc }) => kind !== "re-export" && !/^(?!@)\S/.test(doc ?? ""))
      .map(({ name, source }) => `${entry} ${name} (${source})`),
  );
  expect(missing).toEqual([]);
}, 120_000);

test("every command has a summary and an example, every option a description", async () => {
  for (const { name, summary, load } of entries) {
    const { example, options } = await load();
    expect.soft(summary, name).toMatch(/^[A-Z]/);
    expect.soft(example, name).toContain("kubewright");
    for (const [option, { description }] of Object.entries(options))
      expect.soft(description.length, `${name} --${option}`).toBeGreaterThan(5);
  }
});

test("docs/guides/commands.md names every command, and only options that there are", async () => {
  const page = readFileSync(join(repository, "docs/guides/commands.md"), "utf8");
  const commands = await Promise.all(entries.map(async ({ name, load }) => ({ name, ...(await load()) })));
  for (const { name } of commands.filter((each) => !explainedElsewhere.has(each.name)))
    expect.soft(page, name).toMatch(new RegExp(`kubewright ${name}\\b|\`${name}\\b`));
  const known = new Set(commands.flatMap(({ options }) => Object.keys(options)));
  const used = [...page.matchAll(/(?:kubewright [\w -]*|[`, ])--([a-z][\w-]*)/g)].map(
    ([, option = ""]) => option,
  );
  expect(used.filter((option) => !known.has(option) && !ofOtherPrograms.has(option))).toEqual([]);
});

/** Commands of the beginning are in the tutorial, those of clusters in their own guides. */
const explainedElsewhere = new Set([
  "create webhook",
  "torture",
  "cluster",
  "cluster rotate",
  "nodes",
  "upgrade",
  "completion",
]);

/** Options of npm, and of the manager that `args` are for. */
const ofOtherPrograms = new Set(["save-dev", "log-level", "help"]);

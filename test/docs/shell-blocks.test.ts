// The shell commands of every page: those of a page that is executed are run by its suite; the others are listed here with the reason why
// they are not, and checked as far as they can be: commands, options, npm scripts and make targets exist.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findCommand } from "../../packages/cli/src/registry.js";
import { blocksOf, repository } from "./page-runner.js";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const markdownUnder = (folder: string): readonly string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !/node_modules|templates|decisions/.test(path))
    .map((path) => join(folder, path));

const pages = ["README.md", "docs", "examples", "operators", "packages"].flatMap((path) =>
  path.endsWith(".md") ? [path] : markdownUnder(path),
);

/** Pages whose `sh` blocks a suite runs: tutorial.test.ts, chinese.test.ts, and the walk-throughs of test/cli-scaffold. */
const executed =
  /^(README|docs\/tutorial|docs\/from-kubebuilder|docs\/guides\/production|docs\/zh\/[\w-]+)\.md$/i;

const notRun: Readonly<Record<string, string>> = {
  "docs/guides/commands.md":
    "they push to a registry and change a cluster; test/cli runs each of these commands",
  "docs/guides/dashboard.md": "it needs a deployed manager; test/dashboard does",
  "docs/guides/guestbook.md":
    "make run does not end; operators/guestbook and docs/zh/note-guestbook.md are executed",
  "docs/guides/nodes.md": "it runs until Ctrl-C; test/cluster/external-nodes.test.ts starts the same nodes",
  "docs/guides/process-nodes.md":
    "it needs namespaces of Linux; test/process-nodes runs such pods where it can",
  "docs/guides/torture.md": "torture takes minutes; its own suite runs it",
};

const shellPages = pages
  .map((page) => ({ page, blocks: blocksOf(read(page)).filter(({ info }) => info === "sh") }))
  .filter(({ page, blocks }) => blocks.length > 0 && !executed.test(page))
  .map(({ page, blocks }) => ({ page, blocks, reason: reasonFor(page) }));

function reasonFor(page: string): string | undefined {
  if (/^operators\/[\w-]+\/README\.md$/.test(page))
    return "they run until Ctrl-C, or change a cluster; the operator's page in docs is executed in test/operators and test/docs";
  if (/^packages\//.test(page)) return "they are those of the tutorial, or of the guides";
  return notRun[page];
}

/** The commands of a block: continued lines are one, comments and prompts are gone. */
const commandsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s+)#.*$/, "").trim())
    .flatMap((line) => line.split(/ && | \| |; /))
    .filter((line) => line !== "");

const scripts = Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts);
const targets = [read("Makefile"), read("packages/cli/templates/project/Makefile.tmpl")].join("\n");

async function problemOf(line: string): Promise<string | undefined> {
  const words = line.replace(/^npx /, "").split(/\s+/);
  const [program, first = "", second = ""] = words;
  if (program === "make")
    return new RegExp(`^${first}:`, "m").test(targets) ? undefined : `no target ${first}`;
  if (program === "npm" && first === "run" && !scripts.includes(second)) return `no script ${second}`;
  if (program !== "kubewright") return undefined;
  const found = findCommand(words.slice(1));
  if (found.kind !== "command") return `no command ${first}`;
  const { options } = await found.entry.load();
  const unknown = [...line.matchAll(/ --([a-z][\w-]*)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !(name in options));
  return unknown.length > 0 ? `no option ${unknown.join(", ")}` : undefined;
}

test.each(shellPages)(
  "$page: its commands are not run ($reason), but they exist",
  async ({ blocks, reason }) => {
    expect(reason, "say why in notRun, or run them").toBeDefined();
    for (const line of blocks.flatMap(({ text }) => commandsOf(text)))
      expect.soft(await problemOf(line), line).toBeUndefined();
  },
);

test("pages whose commands are said not to run have some", () => {
  const known = shellPages.map(({ page }) => page);
  expect(Object.keys(notRun).filter((page) => pages.includes(page) && !known.includes(page))).toEqual([]);
});

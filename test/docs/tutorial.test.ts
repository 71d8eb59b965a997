// The tutorial, the way to production and the README are followed to the letter: every command, every file, every output.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { putBase } from "../../packages/cli/src/image/testing/base-fixture.js";
import { OciRegistry } from "../../packages/cli/src/image/testing/oci-registry.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { type Block, blocksOf, isExpected, PageRunner, repository, stepsOf } from "./page-runner.js";

const timeout = 240_000;
const pages: PageRunner[] = [];
const page = (path: string) => blocksOf(readFileSync(join(repository, path), "utf8"));

// The command is the built one, as in the checkout that the pages speak of.
beforeAll(
  () => void execFileSync(process.execPath, [join(repository, "scripts/build.mjs")], { stdio: "pipe" }),
  timeout,
);
afterEach(async () => {
  for (const each of pages.splice(0)) await each.close();
}, timeout);

function runner(): PageRunner {
  const created = new PageRunner();
  pages.push(created);
  return created;
}

/** The commands of a `sh` block, without what explains them. */
const commandsOf = ({ text }: Block) =>
  text
    .split("\n")
    .map((line) => line.replace(/\s+# .*$/, ""))
    .filter((line) => line !== "");

async function follow(terminal: PageRunner, block: Block): Promise<void> {
  const [, path] = /^\/\/ (src\/\S+)\n/.exec(block.text) ?? [];
  if (block.info === "ts" && path) terminal.write(path, block.text.slice(block.text.indexOf("\n") + 1));
  if (block.info === "console dev") await terminal.printed(block.text.trim());
  for (const { command, expected } of block.info.startsWith("console") ? stepsOf(block) : []) {
    if (block.info === "console background") {
      terminal.start(command);
      await terminal.printed(expected);
    } else {
      const output = await terminal.run(command);
      expect(isExpected(output, expected), `$ ${command}\n${output}\nexpected:\n${expected}`).toBe(true);
    }
  }
}

test.skipIf(findKubectls().length === 0)(
  "docs/tutorial.md: every command does and prints what the page says",
  async () => {
    const terminal = runner();
    const [checkout, ...blocks] = page("docs/tutorial.md");
    // The reader is in the checkout after the first line, which a test cannot do.
    for (const command of commandsOf(checkout ?? { info: "", text: "" }).slice(1))
      await terminal.run(command);
    for (const block of blocks) await follow(terminal, block);
  },
  timeout,
);

test.skipIf(findKubectls().length === 0)(
  "docs/guides/production.md: every command does and prints what the page says, with a registry of the test",
  async () => {
    await using registry = await OciRegistry.start({
      login: { kind: "token", password: "me:secret", public: ["distroless/nodejs"] },
    });
    putBase(registry, "distroless/nodejs", "nonroot");
    const terminal = runner();
    const [checkout] = page("docs/tutorial.md");
    for (const command of commandsOf(checkout ?? { info: "", text: "" }).slice(1))
      await terminal.run(command);
    const [settings, ...blocks] = page("docs/guides/production.md");
    const names = commandsOf(settings ?? { info: "", text: "" }).map((line) => line.replace(/=.*/, ""));
    expect(names).toEqual(["export REGISTRY", "export BASE"]);
    const own = {
      REGISTRY: `${registry.host}/team`,
      BASE: `${registry.host}/distroless/nodejs:nonroot`,
      REGISTRY_AUTH: "me:secret",
      XDG_CACHE_HOME: terminal.directory,
    };
    for (const [name, value] of Object.entries(own)) await terminal.run(`export ${name}='${value}'`);
    for (const block of blocks) await follow(terminal, block);
    const pushed = [...registry.manifests.keys()].filter((key) => /^team\/shop \d/.test(key));
    expect(pushed).toEqual(["team/shop 0.1.0", "team/shop 0.2.0"]);
  },
  timeout,
);

test(
  "README.md: its commands work as written, from a checkout to an operator that runs",
  async () => {
    const terminal = runner();
    const [tryIt, start] = page("README.md");
    const makefile = readFileSync(join(repository, "Makefile"), "utf8");
    for (const command of commandsOf(tryIt ?? { info: "", text: "" }))
      expect(makefile).toContain(`\n${command.replace("make ", "")}: `);
    const commands = commandsOf(start ?? { info: "", text: "" });
    for (const command of commands.slice(0, -1)) {
      const output = await terminal.run(command);
      if (command === "npm test") expect(output).toMatch(/Tests +\d+ passed/);
    }
    expect(commands.at(-1)).toBe("kubewright dev");
    terminal.start("kubewright dev");
    await terminal.printed("operator shop started in … ms; waiting for changes");
  },
  timeout,
);

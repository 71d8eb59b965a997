// The tutorial, the way to production and the README are followed to the letter: every command, every file, every output; in an empty
// folder, with the packages as they are published, installed by npm from a registry of the test.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { putBase } from "../../packages/cli/src/image/testing/base-fixture.js";
import { OciRegistry } from "../../packages/cli/src/image/testing/oci-registry.js";
import { type LocalRegistry, startRegistry } from "../cli-scaffold/local-registry.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { packedPackages } from "../packages/packed-packages.js";
import { type Block, blocksOf, checkOutput, PageRunner, repository, stepsOf } from "./page-runner.js";

const timeout = 240_000;
const folder = mkdtempSync(join(tmpdir(), "kubewright-tutorial-"));
const pages: PageRunner[] = [];
const page = (path: string) => blocksOf(readFileSync(join(repository, path), "utf8"));
let registry: LocalRegistry;

/** npm asks the registry of the test and no other, and keeps what it got there for the next page. */
const npmSettings = () => ({
  npm_config_registry: registry.url,
  npm_config_cache: join(folder, "cache"),
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
});

beforeAll(async () => {
  registry = await startRegistry(await packedPackages());
}, timeout);
afterEach(async () => {
  for (const each of pages.splice(0)) await each.close();
}, timeout);
afterAll(() => {
  registry?.close();
  rmSync(folder, { recursive: true, force: true });
}, timeout);

function runner(): PageRunner {
  const created = new PageRunner({ env: npmSettings() });
  pages.push(created);
  return created;
}

/** How the pages get the command until it is published: from a checkout, whose command creates the same project. */
const init = "kubewright init --domain example.com --yes shop";
const fromCheckout = ["npm ci", 'export PATH="$PWD/node_modules/.bin:$PATH"', "cd ..", `${init} && cd shop`];

test("README.md and docs/tutorial.md: a checkout has the command where they say", () => {
  const [start, checkout] = page("README.md");
  expect(commandsOf(start)[0]).toBe(`npx ${fromCheckout.at(-1)}`);
  expect(commandsOf(checkout)).toEqual(fromCheckout);
  const [first, clone] = page("docs/tutorial.md");
  expect(first?.text).toContain(`$ npx ${init}\n`);
  expect(commandsOf(clone).slice(1)).toEqual(fromCheckout);
  expect(existsSync(join(repository, "node_modules/.bin/kubewright"))).toBe(true);
});

/** The commands of a `sh` block, without what explains them. */
const commandsOf = (block: Block | undefined) =>
  (block?.text ?? "")
    .split("\n")
    .map((line) => line.replace(/\s+# .*$/, ""))
    .filter((line) => line !== "");

/** Installing takes longer than all else. The first project is installed from the registry; npm finds the same modules in the others. */
const installed = join(folder, "installed");

async function install(terminal: PageRunner): Promise<string> {
  if (existsSync(installed)) await terminal.succeed(`cp -al '${installed}/.' .`);
  const output = await terminal.succeed("npm install");
  if (!existsSync(installed))
    await terminal.succeed(`mkdir '${installed}' && cp -al node_modules package-lock.json '${installed}'`);
  return output;
}

/** Runs a command of a page. */
const enter = (terminal: PageRunner, command: string): Promise<string> =>
  command === "npm install" ? install(terminal) : terminal.run(command);

async function follow(terminal: PageRunner, block: Block): Promise<void> {
  const [, path] = /^\/\/ (src\/\S+)\n/.exec(block.text) ?? [];
  if (block.info === "ts" && path) terminal.write(path, block.text.slice(block.text.indexOf("\n") + 1));
  if (block.info === "console dev") await terminal.printed(block.text.trim());
  for (const step of block.info.startsWith("console") ? stepsOf(block) : []) {
    if (block.info === "console background") {
      terminal.start(step.command);
      await terminal.printed(step.expected);
    } else checkOutput(step, await enter(terminal, step.command));
  }
}

const withKubectl = test.skipIf(findKubectls().length === 0);

withKubectl(
  "docs/tutorial.md: every command does and prints what the page says, with packed packages",
  async () => {
    const terminal = runner();
    for (const block of page("docs/tutorial.md")) await follow(terminal, block);
  },
  timeout,
);

withKubectl(
  "docs/guides/production.md: every command does and prints what the page says, with a registry of the test",
  async () => {
    await using images = await OciRegistry.start({
      login: { kind: "token", password: "me:secret", public: ["distroless/nodejs"] },
    });
    putBase(images, "distroless/nodejs", "nonroot");
    const terminal = runner();
    const [settings, ...blocks] = page("docs/guides/production.md");
    const names = commandsOf(settings).map((line) => line.replace(/=.*/, ""));
    expect(names).toEqual(["export REGISTRY", "export BASE"]);
    const own = {
      REGISTRY: `${images.host}/team`,
      BASE: `${images.host}/distroless/nodejs:nonroot`,
      REGISTRY_AUTH: "me:secret",
      XDG_CACHE_HOME: terminal.directory,
    };
    for (const [name, value] of Object.entries(own)) await terminal.run(`export ${name}='${value}'`);
    for (const block of blocks) await follow(terminal, block);
    const pushed = [...images.manifests.keys()].filter((key) => /^team\/shop \d/.test(key));
    expect(pushed).toEqual(["team/shop 0.1.0", "team/shop 0.2.0"]);
  },
  timeout,
);

test(
  "README.md: its commands work as written, from packed packages to an operator that runs",
  async () => {
    const terminal = runner();
    const [start, , seeItRun] = page("README.md");
    const makefile = readFileSync(join(repository, "Makefile"), "utf8");
    for (const command of commandsOf(seeItRun))
      expect(makefile).toContain(`\n${command.replace("make ", "")}: `);
    const commands = commandsOf(start);
    for (const command of commands.slice(0, -1)) {
      const output = await enter(terminal, command);
      if (command === "npm test") expect(output).toMatch(/Tests +\d+ passed/);
    }
    expect(commands.at(-1)).toBe("npx kubewright dev");
    terminal.start("npx kubewright dev");
    await terminal.printed("operator shop started in … ms; waiting for changes");
  },
  timeout,
);

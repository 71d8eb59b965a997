import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
let folder: string;
let suite: string;

/** The sources of the packages, bundled: node runs no TypeScript. */
beforeAll(async () => {
  folder = mkdtempSync(join(here, ".bundle-"));
  suite = join(folder, "suite.test.mjs");
  await build({
    entryPoints: [join(here, "node-test", "suite.mjs")],
    outfile: suite,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["kubewright-source"],
    external: ["undici", "yaml", "ws"],
    logLevel: "error",
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (env: NodeJS.ProcessEnv = {}) => {
  const { NODE_OPTIONS: _ours, VITEST: _vitest, ...rest } = process.env;
  return spawnSync(process.execPath, ["--test", "--test-reporter=tap", suite], {
    encoding: "utf8",
    env: { ...rest, ...env },
    timeout: 60_000,
  });
};

test("a suite of node:test passes, and the process ends by itself", { timeout: 60_000 }, () => {
  const { stdout, stderr, status } = run();
  expect(stdout + stderr).toContain("# pass 2");
  expect(status).toBe(0);
});

test("a leaked watch is reported there too", { timeout: 60_000 }, () => {
  const { stdout, stderr } = run({ LEAK: "1" });
  expect(stdout + stderr).toContain("watch of configmaps default by kubewright is still open");
});

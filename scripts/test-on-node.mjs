// Runs tests on other versions of Node.js, taken from the npm registry: npm run test:node [-- VERSION,… [vitest arguments]]
// By default the packed packages, and a project made of them, on 20, 22 and 24. A version that cannot be installed is skipped, out loud.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [first = "", ...rest] = process.argv.slice(2);
const isVersions = /^[\d.,]+$/.test(first);
const versions = (isVersions ? first : "20,22,24").split(",");
const given = isVersions ? rest : process.argv.slice(2);
const tests = given.length > 0 ? given : ["test/packages", "test/cli-scaffold/packed-project.test.ts"];

const outcomes = versions.map((version) => {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-node-"));
  try {
    return testOn(version, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
for (const { version, outcome } of outcomes) console.log(`Node.js ${version}: ${outcome}`);
if (outcomes.some(({ outcome }) => outcome === "failed")) process.exitCode = 1;
// Nothing was shown where nothing ran.
if (outcomes.every(({ outcome }) => outcome.startsWith("SKIPPED"))) process.exitCode = 3;

function testOn(version, directory) {
  const install = [
    "install",
    "--prefix",
    directory,
    "--no-save",
    "--no-audit",
    "--no-fund",
    `node@${version}`,
  ];
  const installed = spawnSync("npm", install, { encoding: "utf8" });
  const bin = join(directory, "node_modules", "node", "bin");
  const node = join(bin, "node");
  const found = spawnSync(node, ["--version"], { encoding: "utf8" });
  if (installed.status !== 0 || found.status !== 0) {
    const reason =
      installed.stderr?.split("\n").find((line) => line.includes("error")) ?? "it does not start";
    return { version, outcome: `SKIPPED, it could not be installed: ${reason.trim()}` };
  }
  console.log(`Node.js ${found.stdout.trim()}: vitest run ${tests.join(" ")}`);
  // npm, npx and what they start take the Node.js that is found first.
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(node, [vitest, "run", ...tests], { cwd: root, stdio: "inherit", env });
  return { version: found.stdout.trim().slice(1), outcome: status === 0 ? "passed" : "failed" };
}

// For continuous integration on machines that others slow down: every test, and then once more, alone, the files in which
// something failed. What failed at first is named either way, so that a test that depends on luck does not go unseen.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** More than this are no accident. */
const mostFiles = 5;

const folder = mkdtempSync(join(tmpdir(), "kubewright-test-"));
const path = join(folder, "failed");
const vitest = (...parameters) =>
  spawnSync("npx", ["--no-install", "vitest", "run", ...parameters], {
    stdio: "inherit",
    env: { ...process.env, KUBEWRIGHT_FAILED: path },
  }).status ?? 1;

/** None where the run itself broke off before it could tell. */
const failedFiles = () => (existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : []);

function run() {
  const status = vitest(...process.argv.slice(2));
  if (status === 0) return 0;
  const files = failedFiles();
  if (files.length === 0 || files.length > mostFiles) return status;
  console.log(`\nonce more, alone: ${files.join(" ")}`);
  const second = vitest("--maxWorkers=1", ...files);
  if (second === 0) console.log(`passed only when run alone: ${files.join(" ")}`);
  return second;
}

try {
  process.exitCode = run();
} finally {
  rmSync(folder, { recursive: true });
}

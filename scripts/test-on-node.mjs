// Runs the tests on another version of Node.js, taken from the npm registry: npm run test:node -- 24 [vitest arguments]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [version = "24", ...rest] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "kubewright-node-"));

try {
  run("npm", ["install", "--prefix", directory, "--no-save", "--no-audit", "--no-fund", `node@${version}`]);
  const node = join(directory, "node_modules", "node", "bin", "node");
  run(node, ["--version"]);
  run(node, [join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...rest]);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function run(command, arguments_) {
  const { status, error } = spawnSync(command, arguments_, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) {
    rmSync(directory, { recursive: true, force: true });
    process.exit(status ?? 1);
  }
}

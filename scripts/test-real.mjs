// Runs the integration suites against the cluster that KUBECONFIG names: KUBECONFIG=… npm run test:real [vitest options]
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

if (!process.env.KUBECONFIG) {
  console.error(
    "test:real needs a cluster: set KUBECONFIG to its kubeconfig. Objects are made in a namespace of their own.",
  );
  process.exit(1);
}

const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "test/real/", "--testTimeout", "60000", "--hookTimeout", "60000", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env: { ...process.env, KUBEWRIGHT_TEST_REAL: "1" } },
);
process.exit(status ?? 1);

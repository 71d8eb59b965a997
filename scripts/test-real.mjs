// Runs the integration suites against the cluster that KUBECONFIG names: KUBECONFIG=… npm run test:real [-- test/real/… and options of vitest].
// Without a file it runs all of them.
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
const given = process.argv.slice(2);
const files = given.some((parameter) => parameter.startsWith("test/real/")) ? [] : ["test/real/"];
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", ...files, "--testTimeout", "60000", "--hookTimeout", "60000", ...given],
  { cwd: root, stdio: "inherit", env: { ...process.env, KUBEWRIGHT_TEST_REAL: "1" } },
);
process.exit(status ?? 1);

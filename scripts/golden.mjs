// Replays the recordings beside this checkout against the sources, for whoever works on the API server:
//   npm run golden -- [--only topic,…] [--strict] [--quiet] [--max-diff N]
import { spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const recordings = join(root, "../shared/golden");

const built = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);
const { startCluster } = await import("@kubewright/cluster");
const { parse } = await import("yaml");
const cluster = await startCluster({ controllers: "none", disableAdmission: ["ServiceAccount"], nodes: 0 });
const endpoint = await cluster.listen();
const token = parse(endpoint.kubeconfig).users[0].user.token;
const flags = ["--server", endpoint.url, "--token", token, "--dir", join(recordings, "recordings")];
const child = spawn(process.execPath, [join(recordings, "compare.mjs"), ...flags, ...process.argv.slice(2)], {
  stdio: "inherit",
});
child.once("exit", async (code) => {
  await cluster.close();
  process.exit(code ?? 1);
});

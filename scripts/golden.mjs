// Replays the recordings beside this checkout against the sources, for whoever works on the API server:
//   npm run golden -- [--only topic,…] [--profile plain|controllers] [--strict] [--quiet] [--max-diff N]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const recordings = join(root, "../shared/golden");

const { startCluster, parse } = await bundled();
const profiles = {
  plain: { controllers: "none", disableAdmission: ["ServiceAccount"], nodes: 0 },
  controllers: { nodes: 0 },
};
const profile = process.argv.includes("--profile")
  ? process.argv[process.argv.indexOf("--profile") + 1]
  : "plain";
const cluster = await startCluster({ ...profiles[profile], onError: tell });
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

function tell(where, error) {
  console.error(`${where}:`, error);
}

/** The cluster as the sources have it now, in a bundle of its own, so that several replays do not disturb each other. */
async function bundled() {
  const directory = mkdtempSync(join(root, "node_modules", ".golden-"));
  const outfile = join(directory, "cluster.mjs");
  await build({
    stdin: {
      contents: `export { startCluster } from "@kubewright/cluster"; export { parse } from "yaml";`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["kubewright-source"],
    external: ["undici", "yaml", "zod", "re2js", "@opentelemetry/api"],
    sourcemap: "inline",
    logLevel: "warning",
  });
  const module = await import(pathToFileURL(outfile).href);
  rmSync(directory, { recursive: true, force: true });
  return module;
}

// Replays the recordings beside this checkout against the sources, for work on the API server:
//   npm run golden -- [--only topic,…] [--profile plain|controllers|all] [--strict] [--quiet] [--max-diff N]
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
const at = process.argv.indexOf("--profile");
const asked = at === -1 ? "plain" : process.argv[at + 1];
const rest = process.argv.slice(2).filter((_, index) => at === -1 || (index !== at - 2 && index !== at - 1));
const codes = [];
for (const profile of asked === "all" ? Object.keys(profiles) : [asked]) codes.push(await replay(profile));
process.exit(Math.max(...codes));

/** Replays the topics of a profile against a fresh cluster; resolves to the exit code. */
async function replay(profile) {
  const cluster = await startCluster({ ...profiles[profile], onError: tell });
  const endpoint = await cluster.listen();
  const token = parse(endpoint.kubeconfig).users[0].user.token;
  const flags = ["--server", endpoint.url, "--token", token, "--dir", join(recordings, "recordings")];
  const child = spawn(
    process.execPath,
    [join(recordings, "compare.mjs"), ...flags, "--profile", profile, ...rest],
    { stdio: "inherit" },
  );
  const code = await new Promise((resolve) => child.once("exit", resolve));
  await cluster.close();
  return code ?? 1;
}

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

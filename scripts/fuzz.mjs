// Sends hostile requests to the API server as the sources have it now, and fails on what it must not do with them:
//   npm run fuzz -- --requests 1000000 [--seed N] [--from N] [--minutes N] [--only SORT] [--large SHARE] [--hangs MS] [--tls SHARE] [--watches N]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const directory = mkdtempSync(join(root, "node_modules", ".fuzz-"));
const outfile = join(directory, "fuzz.mjs");
await build({
  absWorkingDir: root,
  entryPoints: ["test/hostile/main.ts"],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  conditions: ["kubewright-source"],
  external: ["undici", "yaml", "zod", "re2js", "@opentelemetry/api"],
  sourcemap: "inline",
  logLevel: "warning",
});
const options = ["--enable-source-maps", outfile, ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, options, { stdio: "inherit" });
rmSync(directory, { recursive: true, force: true });
process.exit(status ?? 1);

// Runs a managed operator under load through a network that fails, and reports heap, descriptors, lost keys and duplicates:
//   npm run soak -- [--minutes 30] [--rate 100]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const directory = mkdtempSync(join(root, "node_modules", ".soak-"));
await build({
  absWorkingDir: root,
  entryPoints: { soak: "test/soak/main.ts", operator: "test/soak/operator.ts" },
  outdir: directory,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  conditions: ["kubewright-source"],
  external: ["undici", "yaml", "zod", "re2js", "@opentelemetry/api"],
  sourcemap: "inline",
  logLevel: "warning",
});
const options = [
  "--enable-source-maps",
  join(directory, "soak.mjs"),
  join(directory, "operator.mjs"),
  ...process.argv.slice(2),
];
const { status } = spawnSync(process.execPath, options, { stdio: "inherit" });
rmSync(directory, { recursive: true, force: true });
process.exit(status ?? 1);

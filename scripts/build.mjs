// Builds every package to dist/: one bundled JavaScript file per entry point, so that importing is cheap.
// With --types, declarations are written beside them (needed for publishing, not for running).
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const withTypes = process.argv.includes("--types");

const workspaces = ["packages", "operators"].flatMap((parent) =>
  existsSync(join(root, parent))
    ? readdirSync(join(root, parent))
        .map((name) => join(root, parent, name))
        .filter((directory) => existsSync(join(directory, "package.json")))
    : [],
);

await Promise.all(workspaces.map(buildPackage));
if (withTypes) buildTypes();

/** Bundles the sources behind each entry of the package's `exports`; other packages stay imports. */
async function buildPackage(directory) {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const entries = Object.values(manifest.exports ?? {})
    .map((conditions) => conditions["kubewright-source"])
    .filter((source) => source && existsSync(join(directory, source)));
  if (entries.length === 0) return;
  rmSync(join(directory, "dist"), { recursive: true, force: true });
  if (!manifest.private) copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"));
  await build({
    absWorkingDir: directory,
    entryPoints: entries,
    outbase: "src",
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: true,
    logLevel: "warning",
    legalComments: "none",
  });
}

/** Bottom layer first: a package is checked against the declarations of those below, as its users will be. */
function buildTypes() {
  const order = ["api", "schema", "client", "runtime", "apiserver", "cluster", "testing", "cli"];
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  for (const name of order) {
    const cwd = join(root, "packages", name);
    const result = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd, stdio: "inherit" });
    if (result.status !== 0) process.exit(result.status ?? 1);
  }
}

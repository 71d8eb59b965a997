// Builds every package to dist/: one bundled JavaScript file per entry point, so that importing is cheap; and the command once more as
// one script, which starts faster still. Declarations are written beside them. Files are replaced in place, so that projects linked to
// this checkout never find a package without its code or its types.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { packedPage } from "./build-page.mjs";
import { forgetBuild, isBuilt, keepStamp, sourceStamp } from "./build-stamp.mjs";
import { buildTypes } from "./build-types.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const workspaces = ["packages", "operators"].flatMap((parent) =>
  existsSync(join(root, parent))
    ? readdirSync(join(root, parent))
        .map((name) => join(root, parent, name))
        .filter((directory) => existsSync(join(directory, "package.json")))
    : [],
);

/** Made of so many small files that loading them takes longer than all of ours; bundled from its modules instead. */
const inlined = { yaml: join(root, "node_modules", "yaml", "browser", "dist", "index.js") };
const shared = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  logLevel: "warning",
  legalComments: "none",
};

const stamp = sourceStamp(root, workspaces);
const published = workspaces.filter((directory) => directory.startsWith(join(root, "packages")));
if (isBuilt(root, stamp, published)) process.exit(0);
forgetBuild(root);

/** The page of the dashboard is part of the code that serves it. */
const define = { builtPageFiles: JSON.stringify(await packedPage()) };
await Promise.all(workspaces.map(buildPackage));
if (existsSync(join(root, "packages", "cli"))) await buildCommand(join(root, "packages", "cli"));
process.exitCode = buildTypes(root);
if (process.exitCode === 0) keepStamp(root, stamp);

/** Bundles the sources behind each entry of the package's `exports`; other packages stay imports. */
async function buildPackage(directory) {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const entries = Object.values(manifest.exports ?? {})
    .map((conditions) => conditions["kubewright-source"])
    .filter((source) => source && existsSync(join(directory, source)));
  if (entries.length === 0) return;
  const before = scriptsIn(join(directory, "dist"));
  if (!manifest.private) copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"));
  const { metafile } = await build({
    ...shared,
    absWorkingDir: directory,
    entryPoints: entries,
    outbase: "src",
    outdir: "dist",
    splitting: true,
    format: "esm",
    external: externals(manifest),
    alias: inlined,
    define,
    sourcemap: true,
    metafile: true,
  });
  const written = new Set(Object.keys(metafile.outputs).map((path) => join(directory, path)));
  for (const path of before) if (!written.has(path)) rmSync(path);
  writeNotices(directory, metafile);
}

/** What an earlier build bundled; the declarations, the one script and what V8 compiled of it are kept apart. */
function scriptsIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((path) => /\.js(\.map)?$/.test(path) && !/^cache/.test(path))
    .map((path) => join(folder, path));
}

/** Other packages stay imports, apart from those that are bundled. */
function externals({ dependencies, peerDependencies, optionalDependencies }) {
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  return names.filter((name) => !(name in inlined)).flatMap((name) => [name, `${name}/*`]);
}

/**
 * The command as one script with all it needs, for what runs nobody else's code: `bin/run-script.js` keeps what V8 compiled of it. It
 * is the function Node.js would wrap it in, and its first line says which build it is.
 */
async function buildCommand(directory) {
  const opening = "(function (exports, require, module, __filename, __dirname) {";
  const { outputFiles, metafile } = await build({
    ...shared,
    absWorkingDir: directory,
    entryPoints: ["src/index.ts"],
    outfile: "dist/kubewright.cjs",
    format: "cjs",
    conditions: ["kubewright-source"],
    external: ["esbuild"],
    alias: inlined,
    define: { ...define, "import.meta.url": "scriptUrl" },
    banner: { js: `${opening}const scriptUrl = require("node:url").pathToFileURL(__filename).href;` },
    footer: { js: "})" },
    metafile: true,
    write: false,
  });
  const [{ path, text }] = outputFiles;
  writeFileSync(path, `// ${createHash("sha256").update(text).digest("hex")}\n${text}`);
  writeNotices(directory, metafile);
  await startOnce(directory);
}

/** Starts and ends the command, so that what V8 compiles is kept from the first time on. A machine without loopback goes without. */
function startOnce(directory) {
  const kubeconfig = join(directory, "dist", "kubeconfig");
  const command = [join(directory, "bin", "kubewright.js"), "cluster", "--kubeconfig", kubeconfig];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "ignore"] });
  const timeout = setTimeout(() => child.kill("SIGKILL"), 30_000);
  child.stdout.once("data", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("close", resolve)).finally(() => {
    clearTimeout(timeout);
    rmSync(kubeconfig, { force: true });
  });
}

/** The licenses of what is bundled go with it. */
function writeNotices(directory, { inputs }) {
  const names = Object.keys(inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  const texts = [...new Set(names)].filter(Boolean).map((name) => {
    const folder = join(root, "node_modules", name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return file ? `${name}\n\n${readFileSync(join(folder, file), "utf8")}` : undefined;
  });
  const known = texts.filter(Boolean);
  if (known.length > 0) writeFileSync(join(directory, "dist", "NOTICES.txt"), known.join("\n---\n\n"));
}

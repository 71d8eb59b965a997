// The processes of the benchmark: bundled as a program is for production, started, spoken to, ended.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
/** Inside the repository, so that what is not bundled is found. */
const folder = join(root, "node_modules/.cache/kubewright-bench");

/** One file for each program; what cannot be bundled stays an import. */
export async function bundle(names, { sources = true, external = [] } = {}) {
  await build({
    entryPoints: names.map((name) => join(here, `${name}.mjs`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minify: true,
    conditions: sources ? ["kubewright-source"] : [],
    // As scripts/build.mjs bundles it: its modules, not its CommonJS files.
    alias: { yaml: join(root, "node_modules/yaml/browser/dist/index.js") },
    banner: {
      js: 'import { createRequire as _createRequire } from "node:module"; const require = _createRequire(import.meta.url);',
    },
    external,
    logLevel: "error",
  });
  return Object.fromEntries(names.map((name) => [name, join(folder, `${name}.mjs`)]));
}

export function removeBundles() {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a program that is handed `bench`; it speaks over a channel. What is no JavaScript runs by itself. */
export function start(file, bench = {}, environment = {}) {
  const [command, ...parts] = file.endsWith(".mjs") ? [process.execPath, "--expose-gc", file] : [file];
  return spawn(command, parts, {
    env: { ...process.env, ...environment, BENCH: JSON.stringify(bench) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

/** A program as it stands, with what it imports read from node_modules. */
export function unbundled(name) {
  return join(here, `${name}.mjs`);
}

/** The next message of a child; fails if it ends. */
export function next(child) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`a process of the benchmark ended with ${code}`));
    child.once("exit", onExit);
    child.once("message", (value) => {
      child.off("exit", onExit);
      resolve(value);
    });
  });
}

export function ask(child, question) {
  child.send(question);
  return next(child);
}

/** Ends a child and waits for it. */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  await over;
}

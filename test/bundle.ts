// Programs bundled from the sources of this repository, for tests that need a process or a thread of their own.
import { basename, join } from "node:path";
import { type BuildOptions, build } from "esbuild";

const root = join(import.meta.dirname, "..");

/** Some of what is bundled asks for modules the old way. */
const requireInModules =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** Bundles for Node.js, as a module by default. Paths are those of the repository, and packages are taken from their sources. */
export async function bundle(options: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["kubewright-source"],
    logLevel: "error",
    ...(options.format === "cjs" ? {} : { banner: { js: requireInModules } }),
    ...options,
  });
}

/** Bundles a program into a folder; returns its file. */
export async function bundleProgram(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(entry, ".ts")}.mjs`);
  await bundle({ entryPoints: [entry], outfile });
  return outfile;
}

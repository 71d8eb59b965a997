// The packages as users get them: packed, and unpacked beside the tools they need, in a folder outside the repository.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { packedPackages } from "../packages/packed-packages.js";

const repository = join(import.meta.dirname, "../..");
const tools = { biome: "@biomejs/biome/bin/biome", tsc: "typescript/bin/tsc", vitest: "vitest/vitest.mjs" };

/** Where the packages are, and the archives they came from. */
export interface PackedPackages {
  readonly modules: string;
  /** The folder of the package in each archive. */
  readonly archives: ReadonlyMap<string, string>;
}

/** Makes a `node_modules` in a folder. */
export async function installPacked(folder: string): Promise<PackedPackages> {
  const modules = join(folder, "node_modules");
  linkOthers(modules);
  const archives = await packedPackages();
  for (const [archive, source] of archives) {
    const target = join(modules, nameOf(source));
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["xzf", archive, "-C", target, "--strip-components=1"]);
  }
  linkTools(modules);
  return { modules, archives };
}

/** Everything of the repository's node_modules but our own packages. */
function linkOthers(modules: string): void {
  mkdirSync(modules, { recursive: true });
  for (const name of readdirSync(join(repository, "node_modules")))
    if (
      !name.startsWith(".") &&
      name !== "@kubewright" &&
      name !== "kubewright" &&
      !name.endsWith("-operator")
    )
      symlinkSync(realpathSync(join(repository, "node_modules", name)), join(modules, name));
}

function linkTools(modules: string): void {
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../kubewright/bin/kubewright.js", join(modules, ".bin/kubewright"));
  for (const [name, path] of Object.entries(tools)) symlinkSync(`../${path}`, join(modules, ".bin", name));
}

const nameOf = (directory: string): string =>
  (JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { name: string }).name;

// The packages as users get them: built from a copy of the sources, packed, and unpacked beside the tools they need, in a folder
// outside the repository.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const repository = join(import.meta.dirname, "../..");
const tools = { biome: "@biomejs/biome/bin/biome", tsc: "typescript/bin/tsc", vitest: "vitest/vitest.mjs" };

/** Where the packages are, and the archives they came from. */
export interface PackedPackages {
  readonly modules: string;
  /** The folder each archive was unpacked to. */
  readonly archives: ReadonlyMap<string, string>;
}

/** Makes a `node_modules` in a folder. */
export function installPacked(folder: string): PackedPackages {
  const checkout = join(folder, "checkout");
  copySources(checkout);
  execFileSync(process.execPath, [join(checkout, "scripts/build.mjs")], {
    cwd: checkout,
    stdio: "pipe",
  });
  const modules = join(folder, "node_modules");
  linkOthers(modules);
  const archives = unpackAll(checkout, folder, modules);
  linkTools(modules);
  return { modules, archives };
}

const packageNames = (): readonly string[] =>
  readdirSync(join(repository, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Its own copy, so that other tests may build the repository meanwhile. */
function copySources(checkout: string): void {
  const isSource = (path: string): boolean => !["node_modules", "dist"].includes(basename(path));
  for (const path of [
    "packages",
    "scripts/build.mjs",
    "scripts/build-page.mjs",
    "scripts/build-types.mjs",
    "tsconfig.json",
    "package.json",
    "LICENSE",
  ])
    cpSync(join(repository, path), join(checkout, path), { recursive: true, filter: isSource });
  linkOthers(join(checkout, "node_modules"));
  for (const name of packageNames()) {
    const link = join(checkout, "node_modules", nameOf(join(checkout, "packages", name)));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(checkout, "packages", name), link);
  }
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

/** One npm for all of them: starting it takes longer than packing. */
function unpackAll(checkout: string, folder: string, modules: string): Map<string, string> {
  const chosen = packageNames().flatMap((name) => ["--workspace", join("packages", name)]);
  const printed = execFileSync(
    "npm",
    ["pack", ...chosen, "--json", "--ignore-scripts", "--pack-destination", folder],
    { cwd: checkout, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const packed = JSON.parse(printed) as readonly { name: string; filename: string }[];
  return new Map(
    packed.map(({ name, filename }) => {
      const target = join(modules, name);
      mkdirSync(target, { recursive: true });
      const archive = join(folder, filename);
      execFileSync("tar", ["xzf", archive, "-C", target, "--strip-components=1"]);
      return [archive, target];
    }),
  );
}

function linkTools(modules: string): void {
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../kubewright/bin/kubewright.js", join(modules, ".bin/kubewright"));
  for (const [name, path] of Object.entries(tools)) symlinkSync(`../${path}`, join(modules, ".bin", name));
}

const nameOf = (directory: string): string =>
  (JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { name: string }).name;

// The packages as `npm publish` would send them, from the build that is there.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./page-runner.js";

/** Packs every package into a folder. Returns each archive with the folder of its package. */
export function packPackages(target: string): ReadonlyMap<string, string> {
  const folders = readdirSync(join(repository, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(repository, "packages", name));
  const folderOf = new Map(folders.map((folder) => [nameIn(folder), folder]));
  const chosen = [...folderOf.keys()].flatMap((name) => ["--workspace", name]);
  const printed = execFileSync(
    "npm",
    ["pack", ...chosen, "--json", "--ignore-scripts", "--pack-destination", target],
    { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  const packed = JSON.parse(printed) as readonly { name: string; filename: string }[];
  return new Map(
    packed.map(({ name, filename }) => [join(target, filename), folderOf.get(name) ?? ""] as const),
  );
}

const nameIn = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name: string }).name;

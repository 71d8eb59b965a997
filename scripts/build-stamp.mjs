// Whether what is built is what the sources say: a build that would change nothing is left out, by `make run`, by tests and by npm alike.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const stampFile = (root) => join(root, "packages", ".build-stamp");

/** Changes with every file that is built or published, with the build itself, and with Node.js, whose compiled code is kept. */
export function sourceStamp(root, workspaces) {
  const hash = createHash("sha256").update(process.version);
  const files = [
    ...["tsconfig.json", "LICENSE", "package-lock.json"].map((name) => join(root, name)),
    ...filesUnder(join(root, "scripts")).filter((path) => /build[\w-]*\.mjs$/.test(path)),
    ...workspaces.flatMap((directory) => filesUnder(directory)),
  ];
  for (const file of files.filter(existsSync))
    hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest("hex");
}

const unpublished = new Set(["node_modules", "dist", ".kubewright", ".types-stamp", "LICENSE"]);

function filesUnder(directory) {
  const entries = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
  return entries
    .filter(({ name }) => !unpublished.has(name) && !name.endsWith(".test.ts"))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesUnder(join(directory, entry.name)) : [join(directory, entry.name)],
    );
}

/** True when the last build was of these sources, and its files are still there. */
export function isBuilt(root, stamp, directories) {
  if (!existsSync(stampFile(root)) || readFileSync(stampFile(root), "utf8") !== stamp) return false;
  return directories.every((directory) => existsSync(join(directory, "dist")));
}

/** Forgets the last build: one that breaks off leaves nothing that looks whole. */
export const forgetBuild = (root) => rmSync(stampFile(root), { force: true });

export const keepStamp = (root, stamp) => writeFileSync(stampFile(root), stamp);

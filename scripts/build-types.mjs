// Writes the declarations of the packages, bottom layer first: a package is checked against the declarations of those below, as its
// users will be. A package whose sources and lower layers are unchanged keeps the declarations it has.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const layers = [
  "api",
  "cel",
  "machinery",
  "schema",
  "client",
  "runtime",
  "kinds",
  "apiserver",
  "cluster",
  "testing",
  "dashboard",
  "cli",
];

/** Returns the exit status of the compiler. */
export function buildTypes(root) {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const hash = createHash("sha256").update(
    readFileSync(join(root, "node_modules", "typescript", "package.json")),
  );
  for (const directory of layers.map((name) => join(root, "packages", name)).filter(existsSync)) {
    for (const path of sourcesOf(directory)) hash.update(path).update(readFileSync(join(directory, path)));
    const stamp = hash.copy().digest("hex");
    if (isBuilt(directory, stamp)) continue;
    const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
      cwd: directory,
      stdio: "inherit",
    });
    if (status !== 0) return status ?? 1;
    removeStale(directory);
    writeFileSync(stampFile(directory), stamp);
  }
  return 0;
}

/** Beside dist/, which is published. */
const stampFile = (directory) => join(directory, ".types-stamp");

function isBuilt(directory, stamp) {
  if (!existsSync(stampFile(directory)) || !existsSync(join(directory, "dist", "index.d.ts"))) return false;
  return readFileSync(stampFile(directory), "utf8") === stamp;
}

const sourcesOf = (directory) => [
  "package.json",
  "tsconfig.build.json",
  ...readdirSync(join(directory, "src"), { recursive: true })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .sort()
    .map((path) => join("src", path)),
];

/** Declarations whose source is gone. */
function removeStale(directory) {
  const dist = join(directory, "dist");
  for (const path of readdirSync(dist, { recursive: true })) {
    if (!path.endsWith(".d.ts")) continue;
    if (!existsSync(join(directory, "src", path.replace(/\.d\.ts$/, ".ts")))) rmSync(join(dist, path));
  }
}

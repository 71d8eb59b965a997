// The packages as `npm publish` would send them. Building and packing them takes longer than most suites, so that the suites of one
// checkout share one set of archives, by what was packed.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const repository = join(import.meta.dirname, "../..");
const cache = join(repository, "node_modules/.cache/kubewright-packed");
const run = promisify(execFile);

/** How long a suite may build and pack before another takes it for dead. */
const patience = 300_000;

/** Builds what has changed since the last build. */
export const builtPackages = (): Promise<void> => whileLocked(build);

/** Every archive, with the folder of its package. */
export async function packedPackages(): Promise<ReadonlyMap<string, string>> {
  await whileLocked(pack);
  const folders = packageFolders();
  const folder = join(cache, stamp());
  const archives = new Map(readdirSync(folder).map((file) => [archiveName(file), join(folder, file)]));
  return new Map(
    folders.map((each) => {
      const archive = archives.get(nameOf(each).replace(/^@/, "").replace("/", "-"));
      if (!archive) throw new Error(`${nameOf(each)} was not packed`);
      return [archive, each];
    }),
  );
}

const archiveName = (file: string): string => file.replace(/-\d[^/]*\.tgz$/, "");

async function build(): Promise<void> {
  await run(process.execPath, [join(repository, "scripts/build.mjs")]);
}

/** Packs what was built, unless that was done already. */
async function pack(): Promise<void> {
  await build();
  const target = join(cache, stamp());
  if (existsSync(target)) return;
  for (const old of readdirSync(cache).filter((name) => name !== "lock"))
    rmSync(join(cache, old), { recursive: true, force: true });
  const unfinished = `${target}.unfinished`;
  mkdirSync(unfinished);
  // One npm for all of them: starting it takes longer than packing.
  const chosen = packageFolders().flatMap((folder) => ["--workspace", nameOf(folder)]);
  await run("npm", ["pack", ...chosen, "--ignore-scripts", "--pack-destination", unfinished], {
    cwd: repository,
  });
  renameSync(unfinished, target);
}

/** The sources that were built last, by their hash. */
const stamp = (): string => readFileSync(join(repository, "packages/.build-stamp"), "utf8").slice(0, 16);

const packageFolders = (): readonly string[] =>
  readdirSync(join(repository, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(repository, "packages", name));

const nameOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name: string }).name;

/** Suites run in processes of their own; a folder can be made by one of them only. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const lock = join(cache, "lock");
  mkdirSync(cache, { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const since = existsSync(lock) ? statSync(lock).mtimeMs : Date.now();
      if (Date.now() - since > patience) rmSync(lock, { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

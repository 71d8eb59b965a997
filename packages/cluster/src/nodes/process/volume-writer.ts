// Writes the files of a volume atomically: readers see all of one version or all of the next. Files go into a new folder, and
// one symbolic link is switched to it, as kubelets do.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { VolumeData, VolumeFile } from "../volume-data.js";

export interface WriteOptions {
  /** Permission bits of files that say none. */
  readonly mode: number;
  readonly group: number | undefined;
  readonly user: number | undefined;
}

const current = "..data";

export function writeAtomically(folder: string, data: VolumeData, options: WriteOptions): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  chmodSync(folder, 0o755);
  if (isSame(folder, data)) return;
  const before = linkOf(join(folder, current));
  const next = mkdtempSync(
    join(folder, `..${new Date().toISOString().slice(0, 19).replace(/[-:T]/g, "_")}.`),
  );
  chmodSync(next, 0o755);
  for (const [path, file] of data) writeOne(join(next, normalize(`/${path}`)), file, options);
  const link = join(folder, "..data_tmp");
  rmSync(link, { force: true });
  symlinkSync(next.slice(folder.length + 1), link);
  renameSync(link, join(folder, current));
  const names = new Set([...data.keys()].map((path) => normalize(`/${path}`).split("/")[1] ?? ""));
  for (const name of readdirSync(folder))
    if (!name.startsWith("..") && !names.has(name)) rmSync(join(folder, name), { force: true });
  for (const name of names)
    if (linkOf(join(folder, name)) === undefined) symlinkSync(join(current, name), join(folder, name));
  if (before !== undefined) rmSync(join(folder, before), { recursive: true, force: true });
}

function writeOne(
  file: string,
  { bytes, mode }: VolumeFile,
  { mode: usual, group, user }: WriteOptions,
): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  writeFileSync(file, bytes);
  if (group !== undefined || user !== undefined)
    chownSync(file, mode === undefined ? (user ?? 0) : 0, group ?? 0);
  chmodSync(file, (mode ?? usual) | (group === undefined ? 0 : 0o040));
}

function isSame(folder: string, data: VolumeData): boolean {
  const at = linkOf(join(folder, current));
  if (at === undefined) return false;
  const found = readdirSync(join(folder, at), { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  if (found.length !== data.size) return false;
  return [...data].every(([path, { bytes }]) => {
    try {
      return readFileSync(join(folder, at, normalize(`/${path}`))).equals(bytes);
    } catch {
      return false;
    }
  });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

// What would change on disk, worked out before anything is written: files edited by hand are found first, and nothing is half done.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { FilePlan } from "../scaffold/file-plan.js";
import type { Files } from "./config-files.js";
import { originOf, sealed } from "./generated-file.js";

export interface ManifestPlan {
  /** Files to write, by path in the project. */
  readonly write: ReadonlyMap<string, string>;
  /** Generated before, and not any more. */
  readonly remove: readonly string[];
  /** Would be overwritten or removed, but somebody edited or wrote them by hand. */
  readonly edited: readonly string[];
}

/** Compares files that should be with those that are; `folders` is where generated files may be left over. */
export function planFiles(root: string, files: Files, folders: readonly string[]): ManifestPlan {
  const write = new Map<string, string>();
  const edited: string[] = [];
  for (const [path, body] of files) {
    const text = sealed(body, path);
    const there = read(join(root, path));
    if (there === text) continue;
    write.set(path, text);
    if (there !== undefined && originOf(there) !== "generated") edited.push(path);
  }
  const remove: string[] = [];
  for (const path of folders.flatMap((folder) => filesUnder(root, folder))) {
    if (files.has(path)) continue;
    const origin = originOf(read(join(root, path)) ?? "");
    if (origin === "generated") remove.push(path);
  }
  return { write, remove, edited };
}

/** Does what the plan says: all of it is written, or nothing, before anything is removed. */
export function carryOut(root: string, { write, remove }: ManifestPlan): void {
  const plan = new FilePlan(root);
  for (const [path, text] of write) plan.add(path, text, "replace");
  plan.write();
  for (const path of remove) rmSync(join(root, path));
}

/** The text of a file; undefined when there is none. */
export function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** The files of a folder and those below, by path in the project, in order. */
export function filesUnder(root: string, folder: string): readonly string[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

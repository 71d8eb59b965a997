import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** The files of a folder and those below, by path in the project, in order. */
export function filesUnder(root: string, folder: string): readonly string[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

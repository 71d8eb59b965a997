// Where the project is that a command is run in.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "../command.js";

/** The file every project starts from. */
export const mainFile = join("src", "main.ts");

/** The nearest folder, from here upwards, that is a project: it has a PROJECT file, or a package.json beside src/main.ts. */
export function projectRoot(from: string = process.cwd()): string {
  let folder = resolve(from);
  while (!isProject(folder)) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new UsageError(
        `${resolve(from)} is not in a project: there is no PROJECT file here or above; kubewright init creates one`,
      );
    folder = parent;
  }
  if (!existsSync(join(folder, mainFile)))
    throw new UsageError(`the project ${folder} has no ${mainFile}, which must default-export its manager`);
  return folder;
}

function isProject(folder: string): boolean {
  if (existsSync(join(folder, "PROJECT"))) return true;
  return existsSync(join(folder, "package.json")) && existsSync(join(folder, mainFile));
}

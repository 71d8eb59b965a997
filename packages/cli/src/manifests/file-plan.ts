// What would change on disk, worked out before anything is written: files edited by hand are found first, and nothing is half done.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import { UsageError } from "../command.js";
import { FilePlan } from "../scaffold/file-plan.js";
import type { Files } from "./config-files.js";
import { filesUnder } from "./files-under.js";
import { isFrom, originOf, sealed } from "./generated-file.js";

export interface ManifestPlan {
  /** Files to write, by path in the project. */
  readonly write: ReadonlyMap<string, string>;
  /** Generated before, and not any more. */
  readonly remove: readonly string[];
  /** Would be overwritten, but somebody edited or wrote them by hand. */
  readonly kept: readonly KeptFile[];
  /** What the user should know about the outputs. */
  readonly warnings: readonly string[];
}

export interface KeptFile {
  readonly path: string;
  /** Whether the code has changed since it was generated and edited; never of a file that was not generated. */
  readonly isStale: boolean;
}

export interface PlanOptions {
  /** Where generated files may be left over. */
  readonly folders: readonly string[];
  /** Overwrites what was edited by hand. */
  readonly force?: boolean | undefined;
}

/** Compares files that should be with those that are. */
export function planFiles(
  root: string,
  files: Files,
  { folders, force = false }: PlanOptions,
): Omit<ManifestPlan, "warnings"> {
  const write = new Map<string, string>();
  const kept: KeptFile[] = [];
  for (const [path, body] of files) {
    refuseOutside(path);
    const text = sealed(body, path);
    const there = read(join(root, path));
    if (there === text) continue;
    const origin = there === undefined ? "generated" : originOf(there);
    if (origin === "generated" || force) write.set(path, text);
    else kept.push({ path, isStale: origin === "edited" && !isFrom(there ?? "", body) });
  }
  const remove: string[] = [];
  for (const path of folders.flatMap((folder) => filesUnder(root, folder))) {
    if (files.has(path)) continue;
    const origin = originOf(read(join(root, path)) ?? "");
    if (origin === "generated") remove.push(path);
  }
  return { write, remove, kept };
}

/** Files are named after objects and namespaces, whose names may be anything until a cluster sees them. */
function refuseOutside(path: string): void {
  if (/^[\w./-]+$/.test(path) && path === posix.normalize(path) && !path.startsWith("..")) return;
  throw new UsageError(
    `${JSON.stringify(path)} would be the name of a file: an object or a namespace in it has a name that Kubernetes does not take`,
  );
}

/** Does what the plan says: all of it is written, or nothing, before anything is removed. */
export function carryOut(root: string, { write, remove }: Pick<ManifestPlan, "write" | "remove">): void {
  const plan = new FilePlan(root);
  for (const [path, text] of write) plan.add(path, text, "replace");
  plan.write();
  for (const path of remove) rmSync(join(root, path));
}

/** The text of a file; undefined when there is none. */
export function read(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

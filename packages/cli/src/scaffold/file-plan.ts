// What a command would write, decided before anything is written: all of it, or nothing.
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { UsageError } from "../command.js";
import { writeWhole } from "../write-whole.js";

/** What became of a file. */
export interface FileChange {
  readonly path: string;
  readonly change: "created" | "changed" | "kept" | "unchanged";
}

/** What to do about a file that is there already and says something else. */
export type Existing = "keep" | "refuse" | "replace";

interface PlannedFile {
  readonly content: string;
  readonly change: FileChange["change"];
  readonly mode?: number | undefined;
}

/** Collects the files of a command and writes them at the end. */
export class FilePlan {
  readonly #directory: string;
  readonly #files = new Map<string, PlannedFile>();
  readonly #clashes: string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The file as it is planned, or as it is; undefined where there is none. */
  read(path: string): string | undefined {
    const planned = this.#files.get(path);
    return planned ? planned.content : this.#onDisk(path);
  }

  /** Plans a file as the command would write it. */
  add(path: string, content: string, existing: Existing, mode?: number): void {
    const now = this.read(path);
    if (now === undefined) {
      if (existsSync(join(this.#directory, path))) this.#clashes.push(`${path} (a folder)`);
      else this.#files.set(path, { content, change: "created", mode });
    } else if (now === content) this.#plan(path, content, "unchanged");
    else if (existing === "replace") this.#plan(path, content, "changed");
    else if (existing === "keep") this.#plan(path, now, "kept");
    else this.#clashes.push(path);
  }

  /** Plans an edit of a file that is there; what it says otherwise stays. */
  edit(path: string, content: string): void {
    this.#plan(path, content, this.read(path) === content ? "unchanged" : "changed");
  }

  /** A file that is new, or already changed, by this plan stays so. */
  #plan(path: string, content: string, change: FileChange["change"]): void {
    const planned = this.#files.get(path);
    const kept = planned && (planned.change === "created" || planned.change === "changed");
    this.#files.set(path, { ...planned, content, change: kept ? planned.change : change });
  }

  /** Writes everything, or nothing: what fails half-way is undone. Throws where a file is in the way. */
  write(): readonly FileChange[] {
    this.#refuseClashes();
    const undo: (() => void)[] = [];
    try {
      for (const [path, file] of this.#files)
        if (file.change === "created" || file.change === "changed") this.#writeFile(path, file, undo);
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    return this.changes();
  }

  /** What `write` would do. */
  changes(): readonly FileChange[] {
    return [...this.#files].map(([path, { change }]) => ({ path, change }));
  }

  /** What `write` would write, with what is there now. */
  edits(): readonly {
    readonly path: string;
    readonly before?: string | undefined;
    readonly after: string;
  }[] {
    return [...this.#files]
      .filter(([, { change }]) => change === "created" || change === "changed")
      .map(([path, { content }]) => ({ path, before: this.#onDisk(path), after: content }));
  }

  #onDisk(path: string): string | undefined {
    const file = join(this.#directory, path);
    return existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
  }

  #refuseClashes(): void {
    if (this.#clashes.length === 0) return;
    const are = this.#clashes.length === 1 ? "is" : "are";
    throw new UsageError(
      `${this.#clashes.join(", ")} ${are} there already; nothing was changed (--force overwrites)`,
    );
  }

  #writeFile(path: string, { content, mode }: PlannedFile, undo: (() => void)[]): void {
    const file = join(this.#directory, path);
    makeFolder(dirname(file), undo);
    const before = existsSync(file) ? readFileSync(file) : undefined;
    // A script stays executable.
    writeWhole(file, content, mode ?? (before === undefined ? undefined : statSync(file).mode & 0o777));
    undo.push(() => (before === undefined ? rmSync(file, { force: true }) : writeFileSync(file, before)));
  }
}

/** Makes a folder and those above it, and remembers which were new. */
function makeFolder(folder: string, undo: (() => void)[]): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), undo);
  mkdirSync(folder);
  undo.push(() => rmdirSync(folder));
}

/** Lines that say what became of files, for people: the many of config/ are one when they share their fate. */
export function describeChanges(directory: string, changes: readonly FileChange[]): string {
  const here = relative(process.cwd(), directory);
  const shown = (path: string): string => (here === "" || here.startsWith("..") ? path : join(here, path));
  const generated = changes.filter(({ path }) => path.startsWith("config/"));
  const [first] = generated;
  const isFolded = generated.length > 3 && generated.every(({ change }) => change === first?.change);
  return changes
    .filter((each) => !isFolded || each === first || !generated.includes(each))
    .map(({ path, change }) => {
      const what =
        isFolded && path === first?.path ? `${shown("config/")} (${generated.length} files)` : shown(path);
      return `  ${change.padEnd(10)}${what}`;
    })
    .join("\n");
}

// The compiler beside a running operator: the bundler takes types off without looking at them.
import { type ChildProcess, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** What the compiler found: a line per error, `src/main.ts:9:43: error TS2322: …`. */
export type OnTypes = (errors: readonly string[]) => void;

/** Checks the types of a project, one check at a time; a check that is out of date is abandoned. */
export class TypeCheck {
  readonly #root: string;
  readonly #onTypes: OnTypes;
  #running: ChildProcess | undefined;

  constructor(root: string, onTypes: OnTypes) {
    this.#root = root;
    this.#onTypes = onTypes;
  }

  /** False where the project has no compiler or no settings for it. */
  start(): boolean {
    const tsc = compilerOf(this.#root);
    if (tsc === undefined || !existsSync(join(this.#root, "tsconfig.json"))) return false;
    this.close();
    const options = { cwd: this.#root, maxBuffer: 16 * 1024 * 1024 };
    const child = execFile(
      process.execPath,
      [tsc, "--noEmit", "--pretty", "false"],
      options,
      (error, stdout) => {
        if (this.#running !== child) return;
        this.#running = undefined;
        this.#onTypes(error ? errorsIn(stdout) : []);
      },
    );
    this.#running = child;
    return true;
  }

  close(): void {
    const child = this.#running;
    this.#running = undefined;
    child?.kill();
  }
}

function compilerOf(root: string): string | undefined {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve("typescript/package.json");
    return join(dirname(manifest), "bin", "tsc");
  } catch {
    return undefined;
  }
}

/** `src/a.ts(9,43): error …` as editors and terminals open it. Lines that go with another stay below it. */
const errorsIn = (output: string): readonly string[] =>
  output
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replace(/^(\S.*?)\((\d+),(\d+)\): /, "$1:$2:$3: "));

// Runs kubewright from its sources in this process, in a folder of its own.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { main } from "kubewright";
import { vi } from "vitest";
// It works in the folder in which it was first loaded, for as long as the process lives: load it before going anywhere.
import "esbuild";

/** What a command line printed and how it ended. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder that command lines run in. */
export class Workspace implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "kubewright-scaffold-"));
  #folder = this.root;

  /** Goes into a folder below, as `cd` would. */
  enter(folder: string): void {
    this.#folder = join(this.#folder, folder);
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** Every file with its text, for comparing before and after. */
  files(): Readonly<Record<string, string>> {
    const entries = readdirSync(this.#folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      paths.sort().map((path) => [relative(this.#folder, path), readFileSync(path, "utf8")]),
    );
  }

  /** Runs a command line given as words or as one text. */
  async run(line: string | readonly string[]): Promise<Ran> {
    const words = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
    const printed = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((text) => {
        printed[name] += String(text);
        return true;
      }),
    );
    const before = process.cwd();
    process.chdir(this.#folder);
    try {
      return { status: await main(words), ...printed };
    } finally {
      process.chdir(before);
      for (const spy of spies) spy.mockRestore();
    }
  }

  /** The same, and throws what it said unless it did what it should. */
  async ok(line: string | readonly string[]): Promise<Ran> {
    const ran = await this.run(line);
    if (ran.status !== 0) throw new Error(`kubewright ${String(line)}: status ${ran.status}: ${ran.stderr}`);
    return ran;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

// A project outside the repository, and the command as a program of its own, both from sources.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
// @ts-expect-error a script without types
import { buildPage } from "../../scripts/build-page.mjs";
import { bundle } from "../bundle.js";

const root = join(import.meta.dirname, "../..");

/** Bundled once for all the files that a worker tests: it takes longer than many a command. */
let bundledProgram: Promise<string> | undefined;

/**
 * Bundles the command from its sources, what it runs in a thread of its own, and the dashboard; it then gives projects the sources of the
 * libraries, too. Returns the program.
 */
async function bundleCommand(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-command-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  const program = join(directory, "kubewright.mjs");
  const contents = `import { main } from "./packages/cli/src/index.ts"; process.exitCode = await main(process.argv.slice(2));`;
  const url = pathToFileURL(join(directory, "kubewright.ts"));
  const options = { external: ["esbuild"], define: { "import.meta.url": JSON.stringify(url) } };
  await bundle({ ...options, stdin: { contents, resolveDir: root }, outfile: program });
  const thread = join(directory, "main.js");
  await bundle({ ...options, entryPoints: ["packages/cluster/src/thread/main.ts"], outfile: thread });
  await buildPage(join(directory, "page"));
  return program;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The project unless told. */
  readonly cwd?: string;
}

export class CliFixture {
  readonly directory = mkdtempSync(join(tmpdir(), "kubewright-cli-"));
  readonly project = join(this.directory, "project");
  program = "";
  readonly #children = new Set<ChildProcess>();

  /** A copy of an operator's sources. */
  constructor(operator: string) {
    symlinkSync(join(root, "node_modules"), join(this.directory, "node_modules"));
    for (const name of ["src", "package.json"])
      cpSync(join(root, "operators", operator, name), join(this.project, name), { recursive: true });
  }

  async bundle(): Promise<void> {
    bundledProgram ??= bundleCommand();
    this.program = await bundledProgram;
  }

  /** Starts the command in the project. */
  start(
    argv: readonly string[],
    options: StartOptions = {},
  ): { child: ChildProcess; ended: Promise<Ended>; printed(text: string): Promise<string> } {
    const child = spawn(process.execPath, [this.program, ...argv], {
      cwd: options.cwd ?? this.project,
      env: { ...process.env, HOME: this.directory, KUBECONFIG: "", ...options.env },
    });
    this.#children.add(child);
    let stdout = "";
    let stderr = "";
    const listeners = new Set<() => void>();
    child.stdout?.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      for (const listener of listeners) listener();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once("close", (code) => {
        this.#children.delete(child);
        resolve({ code: code ?? -1, stdout, stderr });
      });
    });
    /** Everything printed so far, once the text is among it. */
    const printed = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (stdout.includes(text)) resolve(stdout);
        };
        listeners.add(look);
        look();
        const late = () => reject(new Error(`did not print "${text}" in time:\n${stdout}${stderr}`));
        setTimeout(late, 60_000).unref();
        void ended.then(() => reject(new Error(`ended without printing "${text}":\n${stdout}${stderr}`)));
      });
    return { child, ended, printed };
  }

  close(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }
}

// A project outside the repository, and the command as a program of its own, both from sources.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
// @ts-expect-error a script without types
import { buildPage } from "../../scripts/build-page.mjs";

const root = join(import.meta.dirname, "../..");

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
  readonly program = join(this.directory, "cli", "kubewright.mjs");
  readonly #children = new Set<ChildProcess>();

  /** A copy of an operator's sources. */
  constructor(operator: string) {
    symlinkSync(join(root, "node_modules"), join(this.directory, "node_modules"));
    for (const name of ["src", "package.json"])
      cpSync(join(root, "operators", operator, name), join(this.project, name), { recursive: true });
  }

  /**
   * Bundles the command from its sources, what it runs in a thread of its own, and the dashboard; it then gives projects the sources of the libraries,
   * too.
   */
  async bundle(): Promise<void> {
    const contents = `import { main } from "./packages/cli/src/index.ts"; process.exitCode = await main(process.argv.slice(2));`;
    await this.#bundle({ stdin: { contents, resolveDir: root }, outfile: this.program });
    const directory = dirname(this.program);
    writeFileSync(join(directory, "package.json"), '{"type":"module"}');
    const thread = join(directory, "main.js");
    await this.#bundle({ entryPoints: ["packages/cluster/src/thread/main.ts"], outfile: thread });
    await buildPage(join(directory, "page"));
  }

  async #bundle(options: BuildOptions): Promise<void> {
    await build({
      ...options,
      absWorkingDir: root,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      conditions: ["kubewright-source"],
      external: ["esbuild"],
      logLevel: "error",
      banner: {
        js: `import { createRequire as requireFor } from "node:module"; const require = requireFor(import.meta.url);`,
      },
      define: {
        "import.meta.url": JSON.stringify(pathToFileURL(join(dirname(this.program), "kubewright.ts"))),
      },
    });
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
        setTimeout(late, 30_000).unref();
        void ended.then(() => reject(new Error(`ended without printing "${text}":\n${stdout}${stderr}`)));
      });
    return { child, ended, printed };
  }

  close(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }
}

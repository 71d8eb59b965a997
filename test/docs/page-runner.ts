// Executes a page of the documentation as a reader would: its commands in a shell, its files written where it says, its output compared.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export const repository = join(import.meta.dirname, "../..");

/** A fenced block: what stands behind the fence, and what is in it. */
export interface Block {
  readonly info: string;
  readonly text: string;
}

export const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", text = ""]) => ({ info, text }));

/** A command and what it should print; `…` stands for anything. */
export interface Step {
  readonly command: string;
  readonly expected: string;
}

/** The steps of a `console` block. */
export const stepsOf = ({ text }: Block): readonly Step[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((step) => ({
      command: step.split("\n")[0] ?? "",
      expected: step.split("\n").slice(1).join("\n").trim(),
    }));

/** Whether an output is as expected, apart from what `…` stands for. */
export function isExpected(output: string, expected: string, whole = true): boolean {
  const escaped = expected.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = escaped.join("[\\s\\S]*?").replaceAll(/[ ]{2,}/g, " +");
  return new RegExp(whole ? `^${pattern}$` : pattern).test(output.trim());
}

/** Throws where a command printed something else than its page says. */
export function checkOutput({ command, expected }: Step, output: string): void {
  if (!isExpected(output, expected)) throw new Error(`$ ${command}\n${output}\nexpected:\n${expected}`);
}

/** What a terminal has that pages take for granted. */
export interface PageRunnerOptions {
  readonly tools?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class PageRunner {
  readonly directory = mkdtempSync(join(tmpdir(), "kubewright-page-"));
  readonly #state = join(this.directory, ".shell");
  readonly #background: ChildProcess[] = [];
  #output = "";
  #env: Record<string, string> = {};
  #cwd: string;

  /** `tools` is put in front of the PATH; `env` are further variables of the terminal. */
  constructor({ tools = [], env = {} }: PageRunnerOptions = {}) {
    mkdirSync(this.#state);
    this.#cwd = join(this.directory, "work");
    mkdirSync(this.#cwd);
    const { PATH = "" } = process.env;
    this.#env = {
      PATH: [...tools, PATH].join(delimiter),
      HOME: this.directory,
      NO_COLOR: "1",
      CI: "",
      KUBECONFIG: "",
      ...env,
    };
  }

  /** The current folder. */
  get folder(): string {
    return this.#cwd;
  }

  /** Runs a command; folders and variables that it changes stay changed, as in a terminal. */
  async run(command: string): Promise<string> {
    return (await this.#run(command)).output;
  }

  /** The same, and throws what it printed if it fails. */
  async succeed(command: string): Promise<string> {
    const { status, output } = await this.#run(command);
    if (status !== 0) throw new Error(`$ ${command}\nended with status ${status}:\n${output}`);
    return output;
  }

  async #run(command: string): Promise<{ readonly status: number | null; readonly output: string }> {
    const files = { cwd: join(this.#state, "cwd"), env: join(this.#state, "env") };
    const script = `{ ${command}\n} 2>&1; status=$?; pwd > '${files.cwd}'; env -0 > '${files.env}'; exit $status`;
    const child = spawn("bash", ["-c", script], { cwd: this.#cwd, env: this.#env });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once("close", resolve);
      child.once("error", reject);
    });
    this.#cwd = readFileSync(files.cwd, "utf8").trim();
    const variables = readFileSync(files.env, "utf8").split("\0").filter(Boolean);
    this.#env = Object.fromEntries(
      variables.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    if (status === 127) throw new Error(`${command}: ${stdout}`);
    // What npm thinks of the settings of this machine is no part of the page.
    return { status, output: stdout.replaceAll(/^npm warn .*\n/gm, "") };
  }

  /** Starts a command that runs until it is stopped; from then on `printed` is about this one. */
  start(command: string): void {
    this.#output = "";
    const child = spawn("bash", ["-c", `exec ${command} 2>&1`], {
      cwd: this.#cwd,
      env: this.#env,
      detached: true,
    });
    child.stdout.on("data", (chunk: Buffer) => {
      this.#output += chunk.toString();
    });
    this.#background.push(child);
  }

  /** Resolves when what was started has printed something. */
  async printed(expected: string, timeout = 60_000): Promise<void> {
    const deadline = Date.now() + timeout;
    while (!isExpected(this.#output, expected, false)) {
      if (Date.now() > deadline) throw new Error(`expected\n${expected}\nbut it printed\n${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Writes a file below the current folder. */
  write(path: string, text: string): void {
    const file = join(this.#cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  async close(): Promise<void> {
    for (const child of this.#background.splice(0)) {
      const ended = new Promise((resolve) => child.once("close", resolve));
      if (child.pid !== undefined) process.kill(-child.pid, "SIGINT"); // Ctrl-C reaches everything that the terminal runs.
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

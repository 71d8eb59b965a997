// The processes of a container on this machine: what it runs itself, and what is run in it besides.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import type { Isolation } from "./machine.js";
import type { NodeNetwork } from "./node-network.js";
import type { PodSandbox } from "./pod-sandbox.js";

/** How a process ended; by a signal as 128 and its number, as shells say it. */
export interface ProcessExit {
  readonly code: number;
}

export interface StartOptions {
  readonly isolation: Isolation;
  readonly network: NodeNetwork;
  readonly sandbox: PodSandbox;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether somebody may write to its input. */
  readonly hasInput: boolean;
  readonly onOutput: OutputListener;
}

export type OutputListener = (stream: "stdout" | "stderr", bytes: Buffer) => void;

/** A container's own process. */
export class ContainerProcess {
  /** The number that this machine knows it by; undefined when it never came to run. */
  readonly pid: number | undefined;
  readonly exited: Promise<ProcessExit>;
  /** Its input, where it has one. */
  readonly input: Writable | undefined;
  readonly #listeners: Set<OutputListener>;

  private constructor(
    pid: number | undefined,
    child: ChildProcess,
    exited: Promise<ProcessExit>,
    listeners: Set<OutputListener>,
  ) {
    this.pid = pid;
    this.exited = exited;
    this.input = child.stdin ?? undefined;
    this.#listeners = listeners;
  }

  /** Runs the script in namespaces of its own within the place of the pod; resolves when the program runs, or has failed to. */
  static async start(options: StartOptions): Promise<ContainerProcess> {
    const { isolation, network, sandbox, script, env, hasInput, onOutput } = options;
    const { tools } = isolation;
    const args = [
      ...network.enter(["--net", "--uts", "--ipc", "--pid"], sandbox.pid),
      "--",
      tools.unshare,
      ...["--mount", "--pid", "--propagation", "private", "--"],
      // The first process that is started is the first of the new namespace. A shell waits for it, and says how it ended: unshare itself
      // does not report ends by a signal in some versions.
      ...[tools.sh, "-c", '"$0" -c "$1"; exit $?', tools.sh, script],
    ];
    const child = spawn(tools.nsenter, args, {
      stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe", "pipe"],
      env: { ...env },
    });
    child.stdin?.on("error", () => undefined);
    const listeners = new Set([onOutput]);
    for (const stream of ["stdout", "stderr"] as const)
      child[stream]?.on("data", (bytes: Buffer) => {
        for (const listener of listeners) listener(stream, bytes);
      });
    const exited = exitOf(child);
    let said = "";
    const report = child.stdio[3];
    report?.on("data", (chunk) => {
      said += chunk;
    });
    await new Promise<void>((resolve) => {
      report?.on("data", () => said.includes("\n") && resolve());
      report?.on("close", () => resolve());
      report?.on("error", () => resolve());
      void exited.then(() => resolve());
    });
    const pid = Number(said.trim());
    return new ContainerProcess(pid > 0 ? pid : undefined, child, exited, listeners);
  }

  /** Calls back with all output from now on, as it is written; returns how to end it. */
  onOutput(listener: OutputListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  signal(name: NodeJS.Signals): void {
    if (this.pid !== undefined) sendSignal(this.pid, name);
  }
}

export interface RunOptions {
  readonly isolation: Isolation;
  readonly network: NodeNetwork;
  /** Of the container's own process. */
  readonly pid: number;
  /** Flags of `setpriv`. */
  readonly privileges: readonly string[];
  readonly workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** Runs a program in the namespaces of a container that runs. */
export function runInside(options: RunOptions): ChildProcess {
  const { isolation, network, pid, privileges, workingDir, env, command } = options;
  const { tools } = isolation;
  const namespaces = ["--mount", "--net", "--uts", "--ipc", "--pid"];
  // The shell changes to the working directory, which is one of the container's.
  const script = 'cd "$0" 2>/dev/null || cd /; exec "$@"';
  const inner = [tools.sh, "-c", script, workingDir, tools.setpriv, ...privileges, "--", ...command];
  return spawn(tools.nsenter, [...network.enter(namespaces, pid), "--", ...inner], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...env },
  });
}

/** Ends what was run by `runInside`; the process that it is known by only waits for it. */
export function endInside(child: ChildProcess): void {
  for (const pid of childrenOf(child.pid ?? 0)) sendSignal(pid, "SIGKILL");
  child.kill("SIGKILL");
}

export function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: 126 }));
    child.once("close", (code, signal) =>
      resolve({ code: code ?? 128 + (signal ? signalNumber(signal) : 0) }),
    );
  });
}

const numbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};
const signalNumber = (name: string): number => numbers[name] ?? 0;

export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

/** The numbers of the processes that a process started. */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

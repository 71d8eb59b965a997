// One run of a container as processes of this machine.
import { readFileSync } from "node:fs";
import type { Clock, Container, LifecycleHandler, Pod, Timer } from "@kubewright/api";
import type {
  ContainerExit,
  ContainerUsage,
  ProbeKind,
  ProbeOutcome,
  RunningContainer,
} from "../container-runtime.js";
import type { ExecRequest } from "../rules/rule.js";
import { type ContainerProcess, childrenOf, endInside, exitOf, runInside } from "./container-process.js";
import type { Isolation } from "./machine.js";
import type { MemoryGroup } from "./memory-limit.js";
import type { NodeNetwork } from "./node-network.js";
import { getOver, probePort } from "./probe-target.js";
import type { RecordedLog } from "./recorded-log.js";

export interface ProcessContainerOptions {
  readonly id: string;
  readonly pod: Pod;
  readonly container: Container;
  readonly podIP: string;
  readonly process: ContainerProcess;
  readonly log: RecordedLog;
  readonly clock: Clock;
  readonly isolation: Isolation;
  readonly network: NodeNetwork;
  readonly privileges: readonly string[];
  readonly workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where its termination message is on this machine. */
  readonly messageFile: string;
  readonly memory: MemoryGroup | undefined;
}

const longestMessage = 4096;
const pageSize = 4096;
const outputOfProbe = 10 * 1024;

export class ProcessContainer implements RunningContainer {
  readonly id: string;
  readonly exited: Promise<ContainerExit>;
  readonly isHeldUnready = false;
  readonly probesWait = true;
  readonly log: RecordedLog;
  readonly #options: ProcessContainerOptions;
  #isOver = false;
  #kill: Timer | undefined;
  #cpu = { at: 0, used: 0 };

  constructor(options: ProcessContainerOptions) {
    this.#options = options;
    this.id = options.id;
    this.log = options.log;
    this.exited = this.#end();
  }

  get isRunning(): boolean {
    return !this.#isOver && this.#options.process.pid !== undefined;
  }

  async probe(kind: ProbeKind): Promise<ProbeOutcome> {
    const { container, podIP, network } = this.#options;
    const probe = container[`${kind}Probe`];
    if (!probe) return { success: true };
    const connect = (host: string, port: number) => network.connect(host, port);
    const found = await probePort(probe, { container, podIP, connect });
    if (found) return found;
    const command = probe.exec?.command ?? [];
    const limit = (probe.timeoutSeconds ?? 1) * 1000;
    const { code, output } = await this.#run(command, AbortSignal.timeout(limit));
    if (code === undefined)
      return {
        success: false,
        message: `command timed out: "${command.join(" ")}" timed out after ${limit / 1000}s`,
      };
    return { success: code === 0, message: output.trim() };
  }

  async hook({ exec, httpGet, tcpSocket, sleep }: LifecycleHandler, signal: AbortSignal): Promise<void> {
    const { container, podIP, network } = this.#options;
    if (sleep) await sleepFor(sleep.seconds * 1000, signal);
    else if (exec?.command) {
      const { code, output } = await this.#run(exec.command, signal);
      if (code !== 0)
        throw new Error(`command '${exec.command.join(" ")}' exited with ${code}: ${output.trim()}`);
    } else if (httpGet) {
      const connect = (host: string, port: number) => network.connect(host, port);
      const { success, message } = await getOver(httpGet, { container, podIP, connect }, 30_000);
      if (!success) throw new Error(message ?? "the request failed");
    } else if (tcpSocket) throw new Error("tcpSocket hooks are not supported");
  }

  onChange(): void {
    // Probes are made, not foreseen.
  }

  stop(gracePeriod: number): void {
    const { process, container, clock } = this.#options;
    if (this.#isOver) return;
    this.#kill?.cancel();
    if (gracePeriod > 0) {
      process.signal((container.lifecycle?.stopSignal ?? "SIGTERM") as NodeJS.Signals);
      this.#kill = clock.setTimer(gracePeriod, () => process.signal("SIGKILL"));
    } else process.signal("SIGKILL");
  }

  /** Runs a program for a client, or joins what runs. */
  async exec(call: ExecRequest): Promise<number> {
    if (!this.isRunning) throw new Error(`container ${this.#options.container.name} does not run`);
    return call.command.length > 0 ? this.#execute(call) : this.#attach(call);
  }

  /** The usage of its processes; CPU is the average since the last call. */
  usage(): Omit<ContainerUsage, "container"> {
    let memory = 0;
    let used = 0;
    for (const pid of this.#processes()) {
      memory += residentBytes(pid);
      used += processorSeconds(pid);
    }
    const at = this.#options.clock.monotonic() / 1000;
    const before = this.#cpu;
    this.#cpu = { at, used };
    const passed = at - before.at;
    const cpu = before.at > 0 && passed > 0 ? Math.max(0, (used - before.used) / passed) : 0;
    return { cpu, memory };
  }

  async #end(): Promise<ContainerExit> {
    const { process, log, memory, messageFile } = this.#options;
    const { code } = await process.exited;
    this.#isOver = true;
    this.#kill?.cancel();
    log.end();
    const wasExceeded = memory?.wasExceeded === true && code === 137;
    memory?.remove();
    if (process.pid === undefined) {
      const message = log
        .read(0)
        .lines.map(({ text }) => text)
        .join("\n");
      return { exitCode: 128, reason: "StartError", message: message.slice(-longestMessage) };
    }
    return {
      exitCode: code,
      message: lastWords(messageFile),
      ...(wasExceeded ? { reason: "OOMKilled" } : {}),
    };
  }

  /** A program with an end that nobody talks to; its code is undefined when the signal came first. */
  async #run(
    command: readonly string[],
    signal: AbortSignal,
  ): Promise<{ code: number | undefined; output: string }> {
    const child = this.#start(command);
    let output = "";
    const note = (chunk: Buffer): void => {
      if (output.length < outputOfProbe) output += chunk;
    };
    child.stdin?.end();
    child.stdout?.on("data", note);
    child.stderr?.on("data", note);
    const onAbort = (): void => endInside(child);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const { code } = await exitOf(child);
    signal.removeEventListener("abort", onAbort);
    return { code: signal.aborted ? undefined : code, output };
  }

  #start(command: readonly string[]) {
    const { isolation, network, process, privileges, workingDir, env } = this.#options;
    const child = runInside({
      isolation,
      network,
      pid: process.pid ?? 0,
      privileges,
      workingDir,
      env,
      command,
    });
    child.stdin?.on("error", () => undefined);
    return child;
  }

  async #execute(call: ExecRequest): Promise<number> {
    const child = this.#start(call.tty ? this.#inTerminal(call) : call.command);
    const onAbort = (): void => endInside(child);
    call.signal.addEventListener("abort", onAbort, { once: true });
    if (call.signal.aborted) onAbort();
    const exit = exitOf(child);
    void (async () => {
      for await (const chunk of call.stdin)
        if (child.stdin && !child.stdin.write(chunk)) await drained(child.stdin);
      child.stdin?.end();
    })().catch(onAbort);
    const resizing = call.tty ? this.#followSize(call, child.pid ?? 0) : undefined;
    await Promise.all([
      passOn(child.stdout, call.stdout.bind(call)),
      passOn(child.stderr, call.stderr.bind(call)),
    ]).catch(onAbort);
    const { code } = await exit;
    clearInterval(resizing);
    call.signal.removeEventListener("abort", onAbort);
    return code;
  }

  /** `script` gives a program a terminal of its own, and passes on what comes and goes. */
  #inTerminal({ command, size }: ExecRequest): readonly string[] {
    const { script } = this.#options.isolation.tools;
    if (script === undefined)
      throw new Error('a terminal needs the program "script" (package bsdutils or util-linux)');
    const words = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const { rows, columns } = size() ?? { rows: 24, columns: 80 };
    return [script, "-qefc", `stty rows ${rows} cols ${columns}; exec ${words}`, "/dev/null"];
  }

  /** Clients send sizes as they change; a program is notified by its terminal. */
  #followSize(call: ExecRequest, pid: number): ReturnType<typeof setInterval> {
    let last = JSON.stringify(call.size() ?? null);
    const timer = setInterval(() => {
      const size = call.size();
      if (!size || JSON.stringify(size) === last) return;
      last = JSON.stringify(size);
      const inner = lastDescendant(pid);
      if (inner === undefined) return;
      const resize = `stty -F /proc/${innerNumber(inner)}/fd/0 rows ${size.rows} cols ${size.columns}`;
      this.#run(["sh", "-c", resize], AbortSignal.timeout(5000)).catch(() => undefined);
    }, 200);
    timer.unref();
    return timer;
  }

  /** An attached client sees the output from then on, and may write to the container's input. */
  async #attach({ stdin, stdout, signal }: ExecRequest): Promise<number> {
    const { input } = this.#options.process;
    if (input)
      void (async () => {
        for await (const chunk of stdin) input.write(chunk);
        if (this.#options.container.stdinOnce) input.end();
      })().catch(() => undefined);
    let { next } = this.log.read(0);
    for (;;) {
      const isLast = this.log.isOver;
      const written = this.log.read(next);
      next = written.next;
      if (written.lines.length > 0) await stdout(written.lines.map(({ text }) => `${text}\n`).join(""));
      if (isLast || signal.aborted) return 0;
      await this.log.more(signal);
    }
  }

  #processes(): readonly number[] {
    const { pid } = this.#options.process;
    const found: number[] = pid === undefined || this.#isOver ? [] : [pid];
    for (let at = 0; at < found.length && found.length < 10_000; at++)
      found.push(...childrenOf(found[at] ?? 0));
    return found;
  }
}

async function passOn(
  from: AsyncIterable<Buffer> | null,
  to: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const chunk of from ?? []) await to(chunk);
}

const drained = (stream: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    stream.once("drain", resolve);
    stream.once("close", resolve);
  });

function sleepFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(new Error("aborted"));
      },
      { once: true },
    );
  });
}

function lastWords(file: string): string | undefined {
  try {
    const text = readFileSync(file).subarray(0, longestMessage).toString();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * pageSize;
  } catch {
    return 0;
  }
}

/** In hundredths of a second, as Linux counts. */
function processorSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

function lastDescendant(pid: number): number | undefined {
  const [child] = childrenOf(pid);
  return child === undefined ? undefined : (lastDescendant(child) ?? child);
}

/** The number that a process has in its own namespace. */
function innerNumber(pid: number): number {
  try {
    const [, numbers = ""] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(numbers.trim().split(/\s+/).at(-1));
  } catch {
    return pid;
  }
}

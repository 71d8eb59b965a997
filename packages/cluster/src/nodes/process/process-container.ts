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
import { processorSeconds, residentBytes } from "./process-usage.js";
import type { RecordedLog } from "./recorded-log.js";
import { followSize, inTerminal } from "./terminal.js";

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
    const { isolation } = this.#options;
    const size = call.size();
    const child = this.#start(call.tty ? inTerminal(call.command, isolation, size) : call.command);
    const onAbort = (): void => endInside(child);
    call.signal.addEventListener("abort", onAbort, { once: true });
    if (call.signal.aborted) onAbort();
    const exit = exitOf(child);
    void (async () => {
      for await (const chunk of call.stdin)
        if (child.stdin && !child.stdin.write(chunk)) await drained(child.stdin);
      child.stdin?.end();
    })().catch(onAbort);
    const resizing = call.tty ? followSize(call, child.pid ?? 0, this.#resize, size) : undefined;
    await Promise.all([
      passOn(child.stdout, call.stdout.bind(call)),
      passOn(child.stderr, call.stderr.bind(call)),
    ]).catch(onAbort);
    const { code } = await exit;
    clearInterval(resizing);
    call.signal.removeEventListener("abort", onAbort);
    return code;
  }

  /** An attached client sees the output from then on, as it is written, and may write to the container's input. */
  async #attach(call: ExecRequest): Promise<number> {
    const { process, container } = this.#options;
    const { input } = process;
    if (input)
      void (async () => {
        for await (const chunk of call.stdin) if (!input.write(chunk)) await drained(input);
        if (container.stdinOnce) input.end();
      })().catch(() => undefined);
    let sent = Promise.resolve();
    const detach = process.onOutput((stream, bytes) => {
      sent = sent.then(() => call[stream](bytes)).catch(() => undefined);
    });
    const resizing = container.tty ? followSize(call, process.pid ?? 0, this.#resize) : undefined;
    await Promise.race([this.exited, aborted(call.signal)]);
    clearInterval(resizing);
    detach();
    await sent;
    return 0;
  }

  readonly #resize = (command: readonly string[]): void => {
    this.#run(command, AbortSignal.timeout(5000)).catch(() => undefined);
  };

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

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
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

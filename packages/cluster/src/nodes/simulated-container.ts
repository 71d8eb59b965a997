// One run of a simulated container: it follows its command until rules say otherwise, and listens to rules as they change.
import {
  type Clock,
  type Container,
  type LifecycleHandler,
  type Probe,
  sleep,
  type Timer,
} from "@kubewright/api";
import type { ContainerExit, ProbeKind, ProbeOutcome, RunningContainer } from "./container-runtime.js";
import type { Effects, Ending, Usage } from "./rules/effects.js";
import { type Pause, type ProgramContext, type Steps, UnknownProgramError } from "./shell/program.js";
import { runCommand } from "./shell/shell.js";
import { UnknownSyntaxError } from "./shell/shell-syntax.js";
import type { SimulatedLog } from "./simulated-log.js";
import { probeServer } from "./simulated-server.js";
import type { Surroundings } from "./simulated-volumes.js";

export interface SimulatedContainerOptions {
  readonly clock: Clock;
  readonly id: string;
  readonly container: Container;
  /** Its command; `nothing` ends at once, `unknown` runs for ever. */
  readonly command: readonly string[] | "nothing" | "unknown";
  readonly hostname: string;
  readonly podIP: string;
  /** Absent where no program needs any. */
  readonly surroundings: Surroundings | undefined;
  readonly log: SimulatedLog;
  /** The current effects of rules. */
  readonly effects: () => Readonly<Effects>;
  /** Counts an end that a rule brought about. */
  readonly spend: (ending: Ending) => void;
}

const succeeded: ProbeOutcome = { success: true, holdsFor: Number.POSITIVE_INFINITY };
const longestMessage = 4096;

export class SimulatedContainer implements RunningContainer {
  readonly id: string;
  readonly exited: Promise<ContainerExit>;
  readonly log: SimulatedLog;
  readonly #options: SimulatedContainerOptions;
  readonly #startedAt: number;
  #effects: Readonly<Effects>;
  #exit: (exit: ContainerExit) => void = () => undefined;
  #onChange: () => void = () => undefined;
  #unwatch: () => void = () => undefined;
  /** Of the command. */
  #sleeping: Timer | undefined;
  /** Of the rule that ends it, or of the end that it was asked for. */
  #ending: Timer | undefined;
  #isStopping = false;
  #isOver = false;

  constructor(options: SimulatedContainerOptions) {
    this.#options = options;
    this.id = options.id;
    this.log = options.log;
    this.#startedAt = options.clock.monotonic();
    this.exited = new Promise((resolve) => {
      this.#exit = resolve;
    });
    this.#effects = options.effects();
    this.#applyRules();
    if (!this.#effects.ending) this.#run();
    if (!this.#isOver && (this.#effects.serves !== undefined || hasExecProbe(options.container)))
      this.#unwatch = options.surroundings?.files.onChange(() => this.#onChange()) ?? this.#unwatch;
  }

  get isHeldUnready(): boolean {
    return this.#effects.neverReady === true;
  }

  probe(kind: ProbeKind): ProbeOutcome {
    const plan = this.#effects[kind];
    const probe = this.#options.container[`${kind}Probe`];
    if (!plan || (plan.only && !probe?.[plan.only])) return this.#probeByCommand(probe);
    const elapsed = this.#elapsed();
    const { success, until, message } = plan.at(elapsed);
    return { success, message, holdsFor: until - elapsed };
  }

  async hook({ sleep: nap, exec }: LifecycleHandler, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (nap) return sleep(clock, nap.seconds * 1000, signal);
    if (!exec?.command) return;
    const code = await this.#followed(
      runCommand(
        exec.command,
        this.#context(() => undefined),
      ),
      signal,
    );
    if (code !== 0) throw new Error(`command '${exec.command.join(" ")}' exited with ${code}`);
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Servers end with exit code 0 when they are stopped, what is in the middle of something is killed; both at once unless a rule says how long it takes. */
  stop(gracePeriod: number): void {
    if (this.#isOver) return;
    const { stopTime = 0 } = this.#effects;
    const isKilled = stopTime > gracePeriod || this.#sleeping !== undefined;
    const delay = Math.min(stopTime, gracePeriod);
    this.#isStopping = true;
    this.#sleeping?.cancel();
    this.#ending?.cancel();
    const exit = { exitCode: isKilled ? 137 : 0 };
    if (delay === 0) this.#end(exit);
    else this.#ending = this.#options.clock.setTimer(delay, () => this.#end(exit));
  }

  /** Rules changed. */
  reconsider(): void {
    if (this.#isOver || this.#isStopping) return;
    this.#effects = this.#options.effects();
    this.#applyRules();
    this.#onChange();
  }

  usage(): Usage | undefined {
    return this.#effects.usage?.(this.#elapsed());
  }

  #elapsed(): number {
    return this.#options.clock.monotonic() - this.#startedAt;
  }

  #applyRules(): void {
    const { ending, logs } = this.#effects;
    this.log.follow(logs);
    this.#ending?.cancel();
    this.#ending = undefined;
    if (!ending) return;
    this.#sleeping?.cancel();
    this.#sleeping = undefined;
    if (ending === "never") return;
    const left = ending.after - this.#elapsed();
    if (left <= 0) this.#endBy(ending);
    else this.#ending = this.#options.clock.setTimer(left, () => this.#endBy(ending));
  }

  #endBy(ending: Ending): void {
    this.#options.spend(ending);
    const { exitCode, reason, message } = ending;
    this.#end({ exitCode, reason, message });
  }

  #run(): void {
    const { command, log } = this.#options;
    if (command === "unknown") return;
    if (command === "nothing") this.#end({ exitCode: 0 });
    else
      this.#advance(
        runCommand(
          command,
          this.#context((bytes) => log.write(bytes)),
        ),
      );
  }

  /** Goes on until the command waits or ends. What it does not know, it goes on with for ever. */
  #advance(steps: Steps): void {
    this.#sleeping = undefined;
    try {
      for (let step = steps.next(); !this.#isOver; step = steps.next(undefined)) {
        if (step.done) this.#end({ exitCode: step.value });
        if (step.done || step.value.kind !== "sleep") continue;
        const { milliseconds } = step.value;
        if (!Number.isFinite(milliseconds)) return;
        this.#sleeping = this.#options.clock.setTimer(milliseconds, () => this.#advance(steps));
        return;
      }
    } catch (error) {
      if (!isUnknown(error)) throw error;
    }
  }

  async #followed(steps: Generator<Pause, number, undefined>, signal: AbortSignal): Promise<number> {
    try {
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return step.value;
        if (step.value.kind === "sleep") await sleep(this.#options.clock, step.value.milliseconds, signal);
      }
    } catch (error) {
      if (isUnknown(error)) return 0;
      throw error;
    }
  }

  /** A probe that runs a program finds what that ends with; what only the image knows succeeds. */
  #probeByCommand(probe: Probe | undefined): ProbeOutcome {
    if (!probe) return succeeded;
    const { container, podIP, surroundings } = this.#options;
    const served = probeServer(probe, { container, podIP, files: surroundings?.files }, this.#effects);
    if (served) return served;
    if (!probe.exec?.command) return succeeded;
    let output = "";
    const steps = runCommand(
      probe.exec.command,
      this.#context((bytes) => (output += Buffer.from(bytes))),
    );
    let left = (probe.timeoutSeconds ?? 1) * 1000;
    try {
      for (let step = steps.next(); ; step = steps.next(undefined)) {
        if (step.done) {
          const message = output.trim() === "" ? undefined : output.trim();
          return { success: step.value === 0, message, holdsFor: Number.POSITIVE_INFINITY };
        }
        if (step.value.kind === "sleep") left -= step.value.milliseconds;
        const timedOut = `command "${probe.exec.command.join(" ")}" timed out`;
        if (left <= 0) return { success: false, message: timedOut, holdsFor: Number.POSITIVE_INFINITY };
      }
    } catch (error) {
      if (isUnknown(error)) return succeeded;
      throw error;
    }
  }

  #context(output: (bytes: string | Uint8Array) => void): ProgramContext {
    const { surroundings, hostname, clock } = this.#options;
    if (!surroundings) throw new TypeError("a program runs without surroundings");
    return {
      ...surroundings,
      hostname,
      now: () => clock.now(),
      terminal: () => undefined,
      stdout: output,
      stderr: output,
      input: undefined,
    };
  }

  #end(exit: ContainerExit): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sleeping?.cancel();
    this.#ending?.cancel();
    this.#unwatch();
    this.log.end();
    this.#exit(exit.message === undefined ? { ...exit, message: this.#lastWords() } : exit);
  }

  /** The contents of the termination message file. */
  #lastWords(): string | undefined {
    const { container, surroundings } = this.#options;
    const bytes = surroundings?.files.read(container.terminationMessagePath ?? "/dev/termination-log");
    if (!bytes || bytes.length === 0) return undefined;
    return Buffer.from(bytes.subarray(0, longestMessage)).toString();
  }
}

const isUnknown = (error: unknown): boolean =>
  error instanceof UnknownProgramError || error instanceof UnknownSyntaxError;

/** Whether a program of the container runs besides its own. */
export const hasExecProbe = ({ startupProbe, readinessProbe, livenessProbe }: Container): boolean =>
  [startupProbe, readinessProbe, livenessProbe].some((probe) => probe?.exec !== undefined);

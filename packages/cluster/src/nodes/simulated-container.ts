// One run of a simulated container: it follows its command until rules say otherwise, and listens to rules as they change.
import type { Clock, Timer } from "@kubewright/api";
import type { ContainerExit, ProbeKind, ProbeOutcome, RunningContainer } from "./container-runtime.js";
import type { Effects, Ending, Usage } from "./rules/effects.js";
import type { SimulatedLog } from "./simulated-log.js";
import type { ScriptStep } from "./simulated-script.js";

export interface SimulatedContainerOptions {
  readonly clock: Clock;
  readonly id: string;
  readonly steps: readonly ScriptStep[];
  readonly log: SimulatedLog;
  /** What rules say now. */
  readonly effects: () => Readonly<Effects>;
  /** Counts an end that a rule brought about. */
  readonly spend: (ending: Ending) => void;
}

export class SimulatedContainer implements RunningContainer {
  readonly id: string;
  readonly exited: Promise<ContainerExit>;
  readonly log: SimulatedLog;
  readonly #options: SimulatedContainerOptions;
  readonly #startedAt: number;
  #effects: Readonly<Effects>;
  #exit: (exit: ContainerExit) => void = () => undefined;
  #onChange: () => void = () => undefined;
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
    if (!this.#effects.ending) this.#run(options.steps);
  }

  get isHeldUnready(): boolean {
    return this.#effects.neverReady === true;
  }

  probe(kind: ProbeKind): ProbeOutcome {
    const plan = this.#effects[kind];
    if (!plan) return { success: true, holdsFor: Number.POSITIVE_INFINITY };
    const elapsed = this.#elapsed();
    const { success, until, message } = plan(elapsed);
    return { success, message, holdsFor: until - elapsed };
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Servers end well when they are asked to, what is in the middle of something is killed; both at once unless a rule says how long it takes. */
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

  #run([step, ...rest]: readonly ScriptStep[]): void {
    if (!step || this.#isOver || step.does === "serve") return;
    this.#sleeping = undefined;
    if (step.does === "exit") {
      this.#end({ exitCode: step.code });
    } else if (step.does === "sleep") {
      this.#sleeping = this.#options.clock.setTimer(step.milliseconds, () => this.#run(rest));
    } else {
      this.log.print(step.text);
      this.#run(rest);
    }
  }

  #end(exit: ContainerExit): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sleeping?.cancel();
    this.#ending?.cancel();
    this.log.end();
    this.#exit(exit);
  }
}

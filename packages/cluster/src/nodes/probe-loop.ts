// One probe of one container, again and again at its period. Probing that cannot change anything is left out: once enough
// probes in a row agreed, and the runtime says how long they will find the same, nothing is done until then.
import type { Clock, Probe, Timer } from "@kubewright/api";
import type { ProbeOutcome } from "./container-runtime.js";

export interface ProbeLoopOptions {
  readonly clock: Clock;
  readonly probe: Probe;
  /** The result that is assumed until probes say otherwise; undefined when a first failure is to be reported too. */
  readonly initially: boolean | undefined;
  /** Why it can never find anything: what is taken for granted stays. */
  readonly problem?: string | undefined;
  /** Whether a probe can be made to look ahead, with no effect. Default: true. */
  readonly looksAhead?: boolean | undefined;
  readonly run: () => ProbeOutcome | Promise<ProbeOutcome>;
  readonly onFailure: (message: string | undefined) => void;
  /** Enough probes in a row found something else than what held before. */
  readonly onResult: (isGood: boolean) => void;
}

export class ProbeLoop {
  readonly #options: ProbeLoopOptions;
  readonly #period: number;
  /** When the first probe is due; the others follow at its period. */
  readonly #firstAt: number;
  #result: boolean | undefined;
  #last: boolean | undefined;
  #streak = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: ProbeLoopOptions) {
    this.#options = options;
    const { clock, probe, initially } = options;
    this.#period = (probe.periodSeconds ?? 10) * 1000;
    this.#result = initially;
    this.#firstAt = clock.monotonic() + (probe.initialDelaySeconds ?? 0) * 1000;
  }

  get isGood(): boolean {
    return this.#result === true;
  }

  start(): void {
    if (this.#options.problem !== undefined) return;
    if (this.#options.looksAhead !== false) {
      const ahead = this.#options.run();
      const willSucceed = "success" in ahead && ahead.success && ahead.holdsFor === Number.POSITIVE_INFINITY;
      if (willSucceed && this.#result === true) return;
    }
    this.#at(this.#firstAt);
  }

  /** Probes may find something new: from the next one on. */
  look(): void {
    if (this.#isClosed || this.#options.problem !== undefined) return;
    const now = this.#options.clock.monotonic();
    const periods = Math.max(0, Math.floor((now - this.#firstAt) / this.#period) + 1);
    this.#at(now < this.#firstAt ? this.#firstAt : this.#firstAt + periods * this.#period);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #at(time: number): void {
    this.#timer?.cancel();
    const delay = time - this.#options.clock.monotonic();
    if (delay <= 0) this.#try();
    else this.#timer = this.#options.clock.setTimer(delay, () => this.#try());
  }

  #try(): void {
    this.#timer = undefined;
    const outcome = this.#options.run();
    if ("success" in outcome) this.#found(outcome);
    else
      void outcome
        .catch((error: unknown): ProbeOutcome => ({ success: false, message: String(error) }))
        .then((found) => {
          if (!this.#isClosed) this.#found(found);
        });
  }

  #found(outcome: ProbeOutcome): void {
    const { probe, looksAhead, onFailure, onResult } = this.#options;
    const { success } = outcome;
    this.#streak = success === this.#last ? this.#streak + 1 : 1;
    this.#last = success;
    const enough = success ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    // Expected failures are reported up to the threshold; those that were found, always.
    if (!success && (this.#streak <= enough || looksAhead === false)) onFailure(outcome.message);
    if (this.#streak >= enough && this.#result !== success) {
      this.#result = success;
      onResult(success);
    }
    if (!this.#isClosed) this.#plan(outcome, this.#streak >= enough);
  }

  #plan({ holdsFor = 0 }: ProbeOutcome, isSettled: boolean): void {
    if (isSettled && holdsFor === Number.POSITIVE_INFINITY) return;
    const now = this.#options.clock.monotonic();
    const ahead = isSettled ? Math.max(1, Math.ceil((now + holdsFor - this.#firstAt) / this.#period)) : 0;
    this.#at(Math.max(now + this.#period, this.#firstAt + ahead * this.#period));
  }
}

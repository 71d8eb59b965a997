// Graceful termination of a container: its preStop hook runs first, for as long as the grace period allows.
import type { Clock, Container, Timer } from "@kubewright/api";
import type { RunningContainer } from "./container-runtime.js";

/** The grace period left for the container itself when the hook used it up. */
const leastGrace = 2000;

export class ContainerTermination {
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  #hook: { readonly timer: Timer; readonly stop: AbortController } | undefined;

  /** Failures of hooks are reported to `onFailure`, and change nothing. */
  constructor(clock: Clock, onFailure: (error: unknown) => void) {
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** The hook runs. */
  get isUnderWay(): boolean {
    return this.#hook !== undefined;
  }

  /** Asks it to end within the grace period, in milliseconds. */
  begin(running: RunningContainer | undefined, { lifecycle }: Container, gracePeriod: number): void {
    const { preStop } = lifecycle ?? {};
    if (!preStop || !running || gracePeriod <= 0) {
      running?.stop(gracePeriod);
      return;
    }
    const begun = this.#clock.monotonic();
    const stop = new AbortController();
    const go = (): void => {
      if (this.#hook?.stop !== stop || stop.signal.aborted) return;
      this.#hook.timer.cancel();
      stop.abort();
      running.stop(Math.max(leastGrace, gracePeriod - (this.#clock.monotonic() - begun)));
    };
    this.#hook = { stop, timer: this.#clock.setTimer(gracePeriod, go) };
    void running
      .hook(preStop, stop.signal)
      .catch((error: unknown) => {
        if (!stop.signal.aborted) this.#onFailure(error);
      })
      .then(go);
  }

  /** It ended, or is given up. */
  end(): void {
    this.#hook?.timer.cancel();
    this.#hook?.stop.abort();
    this.#hook = undefined;
  }
}

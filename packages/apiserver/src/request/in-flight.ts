// A request's mark on the clock. Time stands still while the request works, and may move on while it waits for a timer.
import type { Clock } from "@kubewright/api";

export class InFlight {
  readonly #clock: Clock;
  readonly #what: string;
  #parked = 0;
  #release: () => void;

  constructor(clock: Clock, what: string) {
    this.#clock = clock;
    this.#what = what;
    this.#release = clock.busy(what);
  }

  /** Gives the mark back until the returned function is called; what waits in parallel parks once each. */
  readonly park = (): (() => void) => {
    this.#parked += 1;
    if (this.#parked === 1) this.#release();
    return () => {
      this.#parked -= 1;
      if (this.#parked === 0) this.#release = this.#clock.busy(this.#what);
    };
  };

  /** The request is answered. */
  end(): void {
    this.#release();
  }
}

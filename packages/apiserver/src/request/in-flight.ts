// A request's mark on the clock. Time stands still while the request works, and may move on while it waits for a timer.
import type { Clock } from "@kubewright/api";

export class InFlight {
  readonly #clock: Clock;
  readonly #what: string;
  #parked = 0;
  #isOver = false;
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
      // A watch goes on after its request was answered, and leaves no mark.
      if (this.#parked === 0 && !this.#isOver) this.#release = this.#clock.busy(this.#what);
    };
  };

  /** The request is answered. */
  end(): void {
    this.#isOver = true;
    this.#release();
  }
}

/** Waits for work that has a timer of its own: in virtual time, only what others do for it holds the clock. */
export async function whileParked<T>(
  { park }: { readonly park?: (() => () => void) | undefined },
  work: Promise<T>,
): Promise<T> {
  const resume = park?.();
  try {
    return await work;
  } finally {
    resume?.();
  }
}

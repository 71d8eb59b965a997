// The time of a test: virtual time, which jumps from one thing to the next and knows when nothing more can happen, or in
// real time, which can only look again and again.
import { type Clock, parseDuration, sleep, systemClock, TimeoutError, VirtualClock } from "@kubewright/api";

/** Milliseconds, or a text such as `"90s"`, `"1h30m"` or `"24h"`. */
export type Duration = number | string;

/** Milliseconds. */
export function milliseconds(duration: Duration): number {
  return typeof duration === "number" ? duration : Number(parseDuration(duration)) / 1e6;
}

/** Looks whether it is so far; may be asked many times. */
export type Check = () => Promise<boolean>;

/** The time of a test: virtual or real. */
export interface TestTime {
  readonly clock: Clock;
  /** The default timeout of `until`, in milliseconds. */
  readonly timeout: number;
  /** Waits until the check is true; rejects with a TimeoutError after the limit. */
  until(check: Check, limit: number): Promise<void>;
  /** Checks all the time until the duration is over. */
  during(check: () => Promise<void>, duration: number): Promise<void>;
  /** Waits for a promise that may need time to pass. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass, and all that falls due come to rest. */
  advance(duration: number): Promise<void>;
  /** Waits until nothing more happens without time passing. */
  settle(): Promise<void>;
}

/** Time that moves only when a test says so, or waits for something. Waits that overlap run one after the other. */
export class VirtualTime implements TestTime {
  readonly clock: VirtualClock;
  readonly timeout = 10 * 60_000;
  #moving: Promise<unknown> = Promise.resolve();

  constructor(clock = new VirtualClock()) {
    this.clock = clock;
  }

  until(check: Check, limit: number): Promise<void> {
    return this.#inTurn(() => this.clock.runUntil(check, { limit }));
  }

  during(check: () => Promise<void>, duration: number): Promise<void> {
    return this.#inTurn(async () => {
      let isOver = false;
      const end = this.clock.setTimer(duration, () => {
        isOver = true;
      });
      try {
        await this.clock.runUntil(
          async () => {
            await check();
            return isOver;
          },
          { limit: duration },
        );
      } finally {
        end.cancel();
      }
    });
  }

  run<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    return this.#inTurn(() => this.clock.runUntilSettled(work));
  }

  advance(duration: number): Promise<void> {
    return this.#inTurn(() => this.clock.advance(duration).then(() => this.clock.settle()));
  }

  settle(): Promise<void> {
    return this.#inTurn(() => this.clock.settle());
  }

  #inTurn<T>(move: () => Promise<T>): Promise<T> {
    const moved = this.#moving.then(move);
    this.#moving = moved.catch(() => undefined);
    return moved;
  }
}

/** Time that passes by itself, for a cluster that is not virtual. */
export class RealTime implements TestTime {
  readonly clock: Clock = systemClock;
  readonly timeout: number;
  readonly #interval: number;

  /** The polling interval and the default timeout, in milliseconds. */
  constructor({ interval, timeout }: { readonly interval: number; readonly timeout: number }) {
    this.#interval = interval;
    this.timeout = timeout;
  }

  async until(check: Check, limit: number): Promise<void> {
    const deadline = this.clock.monotonic() + limit;
    while (!(await check())) {
      if (this.clock.monotonic() > deadline) throw new TimeoutError(`not so within ${limit} ms`);
      await sleep(this.clock, this.#interval);
    }
  }

  async during(check: () => Promise<void>, duration: number): Promise<void> {
    const deadline = this.clock.monotonic() + duration;
    do {
      await check();
      await sleep(this.clock, this.#interval);
    } while (this.clock.monotonic() < deadline);
    await check();
  }

  run<T>(work: Promise<T>): Promise<T> {
    return work;
  }

  advance(duration: number): Promise<void> {
    return sleep(this.clock, duration);
  }

  async settle(): Promise<void> {
    throw new Error(
      "only virtual time knows when a cluster is at rest; wait for something with eventually()",
    );
  }
}

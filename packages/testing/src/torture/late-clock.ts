// A clock whose timers come late, as they do in a process that has to wait for a processor.
import type { Clock, Timer } from "@kubewright/api";

export class LateClock implements Clock {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #random: () => number;

  /** Each timer is late by a random time up to `most` milliseconds. */
  constructor(clock: Clock, most: number, random: () => number) {
    this.#clock = clock;
    this.#most = most;
    this.#random = random;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(delay: number, callback: () => void): Timer {
    return this.#clock.setTimer(delay + Math.floor(this.#random() * this.#most), callback);
  }

  busy(what: string): () => void {
    return this.#clock.busy(what);
  }
}

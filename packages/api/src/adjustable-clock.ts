// Real time that can be moved forward: it goes on as the system's does, and `advance` jumps ahead, timer by timer, so that whatever was
// due in between happens in its order. For demonstrations: a schedule of tomorrow can be seen today.
import { type Clock, systemClock, type Timer } from "./clock.js";

interface PendingTimer {
  /** On the monotonic clock. */
  readonly due: number;
  readonly callback: () => void;
  system: Timer;
}

/** The clock of this machine plus an offset that can be moved forward, so that timers fall due sooner. */
export class AdjustableClock implements Clock {
  readonly #timers = new Set<PendingTimer>();
  #offset = 0;

  now(): number {
    return systemClock.now() + this.#offset;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#offset;
  }

  setTimer(delay: number, callback: () => void): Timer {
    const timer: PendingTimer = {
      due: this.monotonic() + Math.max(0, delay),
      callback,
      system: systemClock.setTimer(delay, () => this.#fire(timer)),
    };
    this.#timers.add(timer);
    return { cancel: () => this.#drop(timer) };
  }

  busy(what: string): () => void {
    return systemClock.busy(what);
  }

  /** Resolves when all that was due until then has been called. */
  async advance(milliseconds: number): Promise<void> {
    const target = this.monotonic() + milliseconds;
    for (let next = this.#next(target); next; next = this.#next(target)) {
      this.#moveTo(next.due);
      this.#fire(next);
      // Lets promises that waited for it go on before the next is called.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#moveTo(target);
    for (const timer of this.#timers) this.#rearm(timer);
  }

  #next(target: number): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of this.#timers)
      if (timer.due <= target && (!first || timer.due < first.due)) first = timer;
    return first;
  }

  #moveTo(time: number): void {
    this.#offset += Math.max(0, time - this.monotonic());
  }

  #fire(timer: PendingTimer): void {
    this.#drop(timer);
    timer.callback();
  }

  #drop(timer: PendingTimer): void {
    this.#timers.delete(timer);
    timer.system.cancel();
  }

  #rearm(timer: PendingTimer): void {
    timer.system.cancel();
    timer.system = systemClock.setTimer(timer.due - this.monotonic(), () => this.#fire(timer));
  }
}

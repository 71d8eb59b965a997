// Time for tests: it stands still until a test advances it, then jumps from timer to timer, so that an hour takes
// milliseconds and every run is the same.
//
// Guarantees
// - Time moves only when nothing is busy and every promise that could settle has settled.
// - Timers run one at a time, by due time, then in the order they were set. Each sees the time it was due at, and what
//   it sets off has come to rest before the next one runs.
// - Work that is stuck is reported by name after `timeout` milliseconds of real time, work that never comes to rest after
//   sixty times that.
//
// Assumptions
// - Work that leaves the process (sockets, files, worker threads) is marked with `busy`, or time may overtake it.
// - Work that waits for a timer of its own gives its mark back while it waits, or time would stand still for good. Where
//   the code that waits cannot know whose mark that is, it calls `suspend` instead.
import type { Clock, Timer } from "./clock.js";
import { TimeoutError } from "./errors.js";
import { TimerQueue } from "./timer-queue.js";

/** The multiple of `timeout` for which work may go on at one instant before it is taken for endless. */
const maxBusyChecks = 60;

/** Turns of the event loop without any mark set or given back, after which suspended work is taken to be all there is. */
const quietTurns = 25;

/** The start of a virtual clock, and how long it waits for work. */
export interface VirtualClockOptions {
  /** The time `now()` starts from, in milliseconds since 1970. */
  readonly start?: number | undefined;
  /** Real milliseconds without anything happening after which waiting for work in flight times out. */
  readonly timeout?: number | undefined;
}

/** The limit of a run of a virtual clock. */
export interface RunOptions {
  /** Virtual milliseconds after which to give up. Default: one hour. */
  readonly limit?: number | undefined;
}

/**
 * A clock that is moved by hand.
 *
 * @example
 * const clock = new VirtualClock();
 * const nap = sleep(clock, 60_000);
 * await clock.advance(60_000); // at once
 * await nap;
 */
export class VirtualClock implements Clock {
  readonly #timeout: number;
  readonly #timers = new TimerQueue();
  readonly #inFlight = new Map<symbol, string>();
  #start: number;
  #elapsed = 0;
  /** The count of busy marks ever set: distinguishes work that goes on from work that is stuck. */
  #marks = 0;
  /** The number of marks, at most, that belong to work that waits for time to pass. */
  #suspended = 0;
  /** The count of marks set or given back. */
  #changes = 0;
  #isMoving = false;
  #onIdle: (() => void) | undefined;

  constructor(options: VirtualClockOptions = {}) {
    this.#start = options.start ?? Date.UTC(2026, 0, 1);
    this.#timeout = options.timeout ?? 5_000;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimer(delay: number, callback: () => void): Timer {
    const timer = this.#timers.add(this.#elapsed + Math.max(0, delay || 0), callback);
    return { cancel: () => this.#timers.cancel(timer) };
  }

  busy(what: string): () => void {
    const mark = Symbol(what);
    this.#inFlight.set(mark, what);
    this.#marks += 1;
    this.#changes += 1;
    return () => {
      this.#inFlight.delete(mark);
      this.#changes += 1;
      if (this.#inFlight.size <= this.#suspended) this.#onIdle?.();
    };
  }

  /**
   * Says that something which may have marked itself as busy waits for time to pass, until the returned function is called: a
   * request that is never answered, in the middle of other work. Where nothing else is busy, time moves on.
   */
  suspend(): () => void {
    this.#suspended += 1;
    this.#onIdle?.();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#suspended -= 1;
    };
  }

  /** The number of timers that wait; a stopped component leaves none behind. */
  get pending(): number {
    return this.#timers.size;
  }

  /** The work in flight, by name. */
  get inFlight(): readonly string[] {
    return [...this.#inFlight.values()];
  }

  /** Moves the wall clock alone, as an operator or NTP does; timers and `monotonic()` do not notice. */
  jump(milliseconds: number): void {
    this.#start += milliseconds;
  }

  /** Waits, without moving time, until nothing is busy and all promises that can settle have settled. */
  async settle(): Promise<void> {
    await turn();
    while (this.#inFlight.size > 0) {
      if (this.#inFlight.size > this.#suspended) await this.#idle();
      else if (await this.#isQuiet()) return;
      await turn();
    }
  }

  /** Moves time on, running what falls due on the way. */
  advance(milliseconds: number): Promise<void> {
    return this.#move(async () => {
      const target = this.#elapsed + milliseconds;
      await this.settle();
      while (await this.#step(target));
      this.#elapsed = Math.max(this.#elapsed, target);
    });
  }

  /** Moves time on, timer by timer, until the condition holds. The condition cannot itself wait for the clock. */
  runUntil(condition: () => boolean | Promise<boolean>, options: RunOptions = {}): Promise<void> {
    const limit = options.limit ?? 3_600_000;
    return this.#move(async () => {
      const deadline = this.#elapsed + limit;
      await this.settle();
      while (!(await condition())) {
        if (await this.#step(deadline)) continue;
        // Asking may itself have set something off.
        await this.settle();
        if (await condition()) return;
        throw new TimeoutError(
          this.pending === 0
            ? "the condition does not hold, and nothing is left that could change it: no timer is set"
            : `the condition did not hold within ${limit} ms of virtual time`,
        );
      }
    });
  }

  /** Moves time on until the promise settles, and settles as it does. */
  async runUntilSettled<T>(work: Promise<T>, options?: RunOptions): Promise<T> {
    let isSettled = false;
    const done = (): void => {
      isSettled = true;
    };
    work.then(done, done);
    await this.runUntil(() => isSettled, options);
    return work;
  }

  /** True when nothing is begun or finished any more, so that what is busy is what is suspended. */
  async #isQuiet(): Promise<boolean> {
    const seen = this.#changes;
    for (let each = 0; each < quietTurns; each++) {
      await turn();
      if (this.#changes !== seen) return false;
    }
    return this.#inFlight.size <= this.#suspended;
  }

  /** Runs the next timer due by `target`, and what it sets off; false when there is none. */
  async #step(target: number): Promise<boolean> {
    const due = this.#timers.nextDue();
    if (due === undefined || due > target) return false;
    this.#elapsed = Math.max(this.#elapsed, due);
    this.#timers.take()?.callback();
    await this.settle();
    return true;
  }

  async #move(drive: () => Promise<void>): Promise<void> {
    if (this.#isMoving) throw new Error("the clock is being moved already: await one move before the next");
    this.#isMoving = true;
    try {
      await drive();
    } finally {
      this.#isMoving = false;
    }
  }

  /**
   * Resolves when the last mark is given back; rejects when nothing happens for too long, or when what happens leads to no
   * rest: something that sets itself off again and again at one instant.
   */
  #idle(): Promise<void> {
    return new Promise((resolve, reject) => {
      let seen = this.#marks;
      let checks = 0;
      const alarm = setInterval(() => {
        checks += 1;
        if (seen !== this.#marks && checks < maxBusyChecks) {
          seen = this.#marks;
          return;
        }
        this.#onIdle = undefined;
        clearInterval(alarm);
        const time = this.#timeout * checks;
        reject(new TimeoutError(`time stood still for ${time} ms, ${this.#stall()}`));
      }, this.#timeout);
      this.#onIdle = () => {
        this.#onIdle = undefined;
        clearInterval(alarm);
        resolve();
      };
    });
  }

  #stall(): string {
    const busy = `still busy: ${describe(this.inFlight)}`;
    if (this.pending === 0) return busy;
    return `${busy} (${this.pending} timers wait; work that waits for one must give its mark back meanwhile)`;
  }
}

/** One turn of the event loop: every microtask runs before it ends. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function describe(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(", ");
}

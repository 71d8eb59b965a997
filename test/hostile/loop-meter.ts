// How long the thread works without looking after anyone else. Where the system says how much processor time a thread has had, that
// is counted, so that a busy machine makes little difference; what the garbage collector took of it is told apart.
import { closeSync, openSync, readSync } from "node:fs";
import { GarbageWatch } from "./garbage-watch.js";

/** Work between two rounds of the event loop, in milliseconds. */
export interface Stretch {
  /** Processor time of the thread. */
  readonly cpu: number;
  /** When it began and ended, by the wall. */
  readonly begin: number;
  readonly end: number;
}

/** A stretch, and who is to blame for it. */
export interface Blame {
  readonly total: number;
  /** What the garbage collector took of it. */
  readonly garbage: number;
  /** The rest. */
  readonly own: number;
}

const none: Stretch = { cpu: 0, begin: 0, end: 0 };

/** Measures stretches of work between two rounds of the event loop. */
export class LoopMeter {
  readonly #clock = threadClock();
  readonly #garbage = new GarbageWatch();
  readonly #onStretch: ((stretch: Stretch) => void) | undefined;
  #round: NodeJS.Immediate | undefined;
  #last = 0;
  #since = 0;
  #longest = none;

  /** Where one is given, it is told of every stretch. */
  constructor(onStretch?: (stretch: Stretch) => void) {
    this.#onStretch = onStretch;
  }

  start(): void {
    this.#garbage.start();
    this.#last = this.#clock.now();
    this.#since = performance.now();
    const beat = (): void => {
      this.#mark();
      this.#round = setImmediate(beat);
    };
    this.#round = setImmediate(beat);
  }

  /** The longest stretch since this was last asked; the one under way counts too. */
  take(): Stretch {
    this.#mark();
    const longest = this.#longest;
    this.#longest = none;
    return longest;
  }

  /** What a stretch was spent on. */
  async blame({ cpu, begin, end }: Stretch): Promise<Blame> {
    // Pauses are known by the wall: the thread had as much of the processor in them as in the rest.
    const share = end > begin ? cpu / (end - begin) : 1;
    const garbage = Math.min(cpu, share * (await this.#garbage.between(begin, end)));
    return { total: cpu, garbage, own: cpu - garbage };
  }

  /** Does something whose garbage nobody is blamed for. */
  async apart<T>(work: () => Promise<T>): Promise<T> {
    this.#garbage.stop();
    try {
      return await work();
    } finally {
      this.#garbage.start();
    }
  }

  /** The pauses for garbage since the beginning, in milliseconds. */
  get pauses(): { readonly count: number; readonly longest: number; readonly total: number } {
    return this.#garbage;
  }

  stop(): void {
    clearImmediate(this.#round);
    this.#garbage.stop();
    this.#clock.close();
  }

  #mark(): void {
    const now = this.#clock.now();
    const end = performance.now();
    // The system counts in ticks: some of what came before may be counted now.
    const stretch = { cpu: Math.min(now - this.#last, end - this.#since), begin: this.#since, end };
    if (stretch.cpu > this.#longest.cpu) this.#longest = stretch;
    this.#last = now;
    this.#since = end;
    this.#onStretch?.(stretch);
  }
}

interface ThreadClock {
  now(): number;
  close(): void;
}

/** Milliseconds of processor time of the main thread; of the wall where those are not to be had. */
function threadClock(): ThreadClock {
  try {
    const file = openSync("/proc/self/schedstat", "r");
    const buffer = Buffer.alloc(64);
    const now = (): number => {
      readSync(file, buffer, 0, buffer.length, 0);
      return Number(buffer.toString("latin1", 0, buffer.indexOf(" "))) / 1e6;
    };
    return { now, close: () => closeSync(file) };
  } catch {
    return { now: () => performance.now(), close: () => undefined };
  }
}

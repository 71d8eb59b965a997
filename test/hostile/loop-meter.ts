// How long the thread works without looking after anyone else. Where the system says how much processor time a thread has had, that
// is counted, so that a busy machine makes no difference.
import { closeSync, openSync, readSync } from "node:fs";

/** Measures stretches of work between two rounds of the event loop. */
export class LoopMeter {
  readonly #clock = threadClock();
  #round: NodeJS.Immediate | undefined;
  #last = 0;
  #longest = 0;

  start(): void {
    this.#last = this.#clock.now();
    const beat = (): void => {
      this.#mark();
      this.#round = setImmediate(beat);
    };
    this.#round = setImmediate(beat);
  }

  /** The longest stretch since this was last asked, in milliseconds; the one under way counts too. */
  take(): number {
    this.#mark();
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  stop(): void {
    clearImmediate(this.#round);
    this.#clock.close();
  }

  #mark(): void {
    const now = this.#clock.now();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
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

// Counts how often others overwrite an object of the manager, so that two programs with different settings do not write in a loop as
// fast as the API server allows.
//
// The first time an object is changed back it is corrected at once; then after one second, two, four and so on. It is forgotten when the
// object has stayed right for ten minutes.
import type { Clock } from "@kubewright/api";

const forgottenAfter = 600_000;
const longestDelay = 300_000;

/** The last change by somebody else. */
export interface Overwrite {
  /** True when it has not been counted before. */
  readonly isNew: boolean;
  readonly count: number;
  /** The backoff before it is corrected, in milliseconds. */
  readonly delay: number;
}

interface State {
  isRight: boolean;
  /** The time when the object was last seen to be right. */
  rightAt: number;
  count: number;
  /** The time when it may be corrected again. */
  due: number;
}

export class Overwrites {
  readonly #clock: Clock;
  readonly #states = new Map<string, State>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The object has been seen, or made, as it should be. */
  right(key: string): void {
    const state = this.#stateOf(key);
    const now = this.#clock.monotonic();
    if (!state.isRight) state.rightAt = now;
    state.isRight = true;
  }

  /** The object is not as it should be. */
  wrong(key: string): Overwrite {
    const state = this.#stateOf(key);
    const now = this.#clock.monotonic();
    const isNew = state.isRight;
    if (isNew) {
      if (now - state.rightAt > forgottenAfter) state.count = 0;
      state.count++;
      state.due = now + delayOf(state.count);
      state.isRight = false;
    }
    return { isNew, count: state.count, delay: Math.max(0, state.due - now) };
  }

  /** This manager's own settings have changed: the next correction is no overwrite. */
  reset(): void {
    for (const state of this.#states.values()) state.isRight = false;
  }

  #stateOf(key: string): State {
    const state = this.#states.get(key) ?? { isRight: false, rightAt: 0, count: 0, due: 0 };
    this.#states.set(key, state);
    return state;
  }
}

const delayOf = (count: number): number => (count <= 1 ? 0 : Math.min(longestDelay, 1000 * 2 ** (count - 2)));

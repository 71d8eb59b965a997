// Changes of a status that can wait a little, so that several become one write: the counts of a rollout under way.

const maxWaiting = 10_000;

/** Remembers until when a change may wait, by the uid of its object. */
export class Debounce {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();

  /** `now` is the monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The rest of the debounce time of a change, counted from when it was first seen; 0 when it is over. */
  wait(uid: string, allowed: number): number {
    const now = this.#now();
    const until = Math.min(this.#until.get(uid) ?? Number.POSITIVE_INFINITY, now + allowed);
    if (until <= now) {
      this.#until.delete(uid);
      return 0;
    }
    if (this.#until.size >= maxWaiting) this.#forgetPast(now);
    this.#until.set(uid, until);
    return until - now;
  }

  /** Nothing of the object is waiting any more. */
  end(uid: string): void {
    this.#until.delete(uid);
  }

  /** Objects that were deleted while they waited. */
  #forgetPast(now: number): void {
    for (const [uid, until] of this.#until) if (until <= now) this.#until.delete(uid);
  }
}

// Compaction: past states can no longer be listed. kube-apiserver compacts etcd at a fixed interval, each time up to the
// revision that was the newest one the time before. So a state can be listed for one interval at least and two at most.
//
// Nothing waits for these times. What has passed is worked out whenever something is written or a state of the past is asked
// for, which is soon enough, and lets virtual time stand still.

/** kube-apiserver's `--etcd-compaction-interval`, in milliseconds. */
export const defaultCompactionInterval = 5 * 60_000;

export class CompactionSchedule {
  readonly #interval: number;
  readonly #start: number;
  /** How many times have passed. */
  #count = 0;
  /** The newest revision at the last of them; none at the first, which only takes note of it. */
  #noted = 0;
  #compacted = 0;

  /** An interval of zero means never. Times are those of the monotonic clock. */
  constructor(interval: number, now: number) {
    this.#interval = interval;
    this.#start = now;
  }

  /** The revision before which states are gone. To be called before each write: `newest` has been the newest since the last call. */
  compactedAt(now: number, newest: number): number {
    if (this.#interval <= 0) return 0;
    const count = Math.floor((now - this.#start) / this.#interval);
    const passed = count - this.#count;
    if (passed <= 0) return this.#compacted;
    this.#compacted = passed === 1 ? this.#noted : newest;
    this.#noted = newest;
    this.#count = count;
    return this.#compacted;
  }
}

// Pods of a DaemonSet that end are removed and made again; where they keep ending, each time after a longer pause.

const firstDelay = 1000;
const longestDelay = 15 * 60_000;

interface Pause {
  readonly delay: number;
  readonly since: number;
}

/** Remembers pauses by key; a key that has been quiet for long starts anew. */
export class DaemonBackoff {
  readonly #pauses = new Map<string, Pause>();

  /** How many milliseconds until the pod may be removed; at 0 its removal is noted, and the next pause is longer. */
  take(key: string, now: number): number {
    const known = this.#pauses.get(key);
    const left = known ? known.since + known.delay - now : 0;
    if (left > 0) return left;
    const isQuiet = !known || now - known.since > 2 * longestDelay;
    const delay = isQuiet ? firstDelay : Math.min(known.delay * 2, longestDelay);
    this.#pauses.set(key, { delay, since: now });
    return 0;
  }

  /** Forgets every key that begins so. */
  forget(prefix: string): void {
    for (const key of this.#pauses.keys()) if (key.startsWith(prefix)) this.#pauses.delete(key);
  }
}

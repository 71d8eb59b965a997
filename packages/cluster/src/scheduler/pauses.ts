// Pods that fit nowhere are not tried at every change of the cluster: many of them, and steady changes, would leave no time
// for anything else. The first attempts follow each other as soon as something helps, so that tests need not wait; after
// that, pauses grow as Kubernetes' own do.

const attemptsAtOnce = 3;
const first = 1_000;
const longest = 10_000;

interface Attempts {
  readonly count: number;
  readonly until: number;
}

/** How long each pod has to wait before it is tried again. */
export class Pauses {
  readonly #attempts = new Map<string, Attempts>();

  /** The pod was tried at this time, in vain. */
  failed(key: string, now: number): void {
    const count = (this.#attempts.get(key)?.count ?? 0) + 1;
    const paused = count - attemptsAtOnce;
    const pause = paused <= 0 ? 0 : Math.min(longest, first * 2 ** (paused - 1));
    this.#attempts.set(key, { count, until: now + pause });
  }

  /** Milliseconds until the pod may be tried again; none when it may be now. */
  left(key: string, now: number): number {
    return Math.max(0, (this.#attempts.get(key)?.until ?? 0) - now);
  }

  /** The pod has a node, has changed, or is gone. */
  forget(key: string): void {
    this.#attempts.delete(key);
  }
}

// How long this process has seen the quorum of each cluster without a break. Members that return after a lost quorum do so one after the
// other, and an operator that starts knows nothing of the time before: neither may count as time a member was away.

/** A longer time between two looks is a break. */
const longestPause = 60_000;

interface Watch {
  readonly since: number;
  readonly last: number;
}

export class Vigil {
  readonly #watches = new Map<string, Watch>();

  /** Records a look at a cluster; returns since when its quorum was seen at each. */
  look(cluster: string, hasQuorum: boolean, now: number): number {
    for (const [key, { last }] of this.#watches) if (now - last > longestPause) this.#watches.delete(key);
    if (!hasQuorum) {
      this.#watches.delete(cluster);
      return now;
    }
    const since = this.#watches.get(cluster)?.since ?? now;
    this.#watches.set(cluster, { since, last: now });
    return since;
  }
}

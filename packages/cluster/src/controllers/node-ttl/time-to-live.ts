// For how long kubelets may go on with the Secrets and ConfigMaps they know. Sizes overlap, so that a cluster at a bound does not swing.
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Number.POSITIVE_INFINITY, seconds: 300 },
] as const;

/** Follows the number of nodes. */
export class TimeToLive {
  #step = 0;

  /** The seconds for a cluster of so many nodes, which was of the size last given. */
  secondsFor(nodes: number): number {
    while (nodes > this.#current.to) this.#step++;
    while (nodes < this.#current.from) this.#step--;
    return this.#current.seconds;
  }

  get #current() {
    return steps[this.#step] ?? steps[0];
  }
}

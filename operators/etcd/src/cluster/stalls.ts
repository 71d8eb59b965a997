// Since when the members of each cluster refuse a change of the membership. This process alone knows it, and a new one waits anew.

export class Stalls {
  readonly #since = new Map<string, number>();

  /** Records whether all members of a cluster refused the last change because they count another one as lost. */
  record(cluster: string, isStalled: boolean, now: number): void {
    if (!isStalled) this.#since.delete(cluster);
    else if (!this.#since.has(cluster)) this.#since.set(cluster, now);
  }

  since(cluster: string): number | undefined {
    return this.#since.get(cluster);
  }
}

// The controllers' view of sharding: which keys they may take, and when that changes.

/** Called when keys move. */
export interface ShardListener {
  /** Some keys may be taken that could not be before: those this says yes to. */
  gained(isGained: (key: string) => boolean): void;
  /** The time of keys that went to others while they were in flight is up: those this says yes to. */
  evicted(isLost: (key: string) => boolean): void;
}

/** The keys that belong to this replica. */
export interface Shards {
  /** Takes a key in flight; false when it is not ours, or not yet. */
  begin(key: string): boolean;
  /** Gives it back. */
  end(key: string): void;
  subscribe(listener: ShardListener): () => void;
}

/** Counts, since several controllers may have the same key in flight. */
export class KeysInFlight {
  readonly #counts = new Map<string, number>();

  keys(): Iterable<string> {
    return this.#counts.keys();
  }

  add(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  delete(key: string): void {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

// One index of a store: from a value to the keys of the objects that have it.

/** The values under which an object can be found. It must be pure: the same object always gives the same values. */
export type IndexFunction<T> = (object: T) => readonly string[];

const none: readonly string[] = [];

/** Values to keys. A value that only one object has, as most have, costs no set. */
export class StoreIndex<T> {
  readonly of: IndexFunction<T>;
  readonly #keys = new Map<string, string | Set<string>>();
  readonly #onError: (error: unknown) => void;

  /** An object for which the function throws is not in the index; `onError` is called. */
  constructor(of: IndexFunction<T>, onError: (error: unknown) => void) {
    this.of = of;
    this.#onError = onError;
  }

  /** The number of objects that have the value. */
  count(value: string): number {
    const keys = this.#keys.get(value);
    return keys === undefined ? 0 : typeof keys === "string" ? 1 : keys.size;
  }

  keys(value: string): Iterable<string> {
    const keys = this.#keys.get(value);
    return keys === undefined ? none : typeof keys === "string" ? [keys] : keys;
  }

  /** Moves a key from the values of its previous object to those of its current one. */
  update(key: string, previous: T | undefined, current: T | undefined): void {
    const before = previous === undefined ? none : this.#values(previous);
    const after = current === undefined ? none : this.#values(current);
    for (const value of before) if (!after.includes(value)) this.#remove(value, key);
    for (const value of after) if (!before.includes(value)) this.#insert(value, key);
  }

  #values(object: T): readonly string[] {
    try {
      return this.of(object);
    } catch (error) {
      this.#onError(error);
      return none;
    }
  }

  #insert(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, key);
    else if (typeof keys !== "string") keys.add(key);
    else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
  }

  #remove(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === key) this.#keys.delete(value);
    else if (typeof keys === "object" && keys.delete(key) && keys.size === 0) this.#keys.delete(value);
  }
}

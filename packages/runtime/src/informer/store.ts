// The cache of one kind: objects by key, and by any number of indexes. Reads hand out the objects themselves: they are
// shared and must not be changed.
import type { KubeObject } from "@kubewright/api";

/** The values under which an object can be found. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** `namespace/name`, or `name` for cluster-scoped objects. */
export function objectKey(object: KubeObject): string {
  const { namespace, name = "" } = object.metadata ?? {};
  return namespace ? `${namespace}/${name}` : name;
}

export class Store<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<
    string,
    { readonly of: IndexFunction<T>; readonly keys: Map<string, Set<string>> }
  >();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Adding an index that exists changes nothing. */
  addIndex(name: string, of: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index = { of, keys: new Map<string, Set<string>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) for (const value of of(object)) insert(index.keys, value, key);
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index "${name}"`);
    const found: T[] = [];
    for (const key of index.keys.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object) found.push(object);
    }
    return found;
  }

  set(key: string, object: T): T | undefined {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const { of, keys } of this.#indexes.values()) {
      if (previous) for (const value of of(previous)) remove(keys, value, key);
      for (const value of of(object)) insert(keys, value, key);
    }
    return previous;
  }

  delete(key: string): T | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    this.#objects.delete(key);
    for (const { of, keys } of this.#indexes.values())
      for (const value of of(previous)) remove(keys, value, key);
    return previous;
  }
}

function insert(index: Map<string, Set<string>>, value: string, key: string): void {
  const keys = index.get(value);
  if (keys) keys.add(key);
  else index.set(value, new Set([key]));
}

function remove(index: Map<string, Set<string>>, value: string, key: string): void {
  const keys = index.get(value);
  if (keys?.delete(key) && keys.size === 0) index.delete(value);
}

// The objects of one kind, by key and by any number of indexes. Reads hand out the objects themselves: they are shared and
// must not be changed.
import type { FieldMatcher, KubeObject, LabelMatcher } from "@kubewright/api";
import { fieldText, matchesFields } from "./field-path.js";
import { fieldMatcher, labelMatcher, type Query } from "./selection.js";
import { type IndexFunction, StoreIndex } from "./store-index.js";

/** The read interface of a store. */
export interface StoreReader<T> {
  readonly size: number;
  /** By `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): T | undefined;
  keys(): IterableIterator<string>;
  values(): IterableIterator<T>;
  entries(): IterableIterator<[string, T]>;
  /** The objects a query means, found by the narrowest index that helps. */
  list(query?: Query): T[];
  /** The objects that have a value in an index. */
  byIndex(name: string, value: string): T[];
  /** Adds an index. The same function again changes nothing; another one under the same name is an error. */
  addIndex(name: string, of: IndexFunction<T>): void;
  /** Makes `list` quick for selectors that demand one value of this label. */
  indexLabel(label: string): void;
  /** Makes `list` quick for selectors that demand one value of this field. */
  indexField(path: string): void;
}

interface Candidate<T> {
  readonly index: StoreIndex<T>;
  readonly value: string;
}

export class Store<T extends KubeObject> implements StoreReader<T> {
  readonly #objects = new Map<string, T>();
  readonly #named = new Map<string, StoreIndex<T>>();
  readonly #labels = new Map<string, StoreIndex<T>>();
  readonly #fields = new Map<string, StoreIndex<T>>();
  /** Made when first asked for: most caches are never listed by namespace. */
  #namespaces: StoreIndex<T> | undefined;
  /** All of the above. */
  readonly #indexes: StoreIndex<T>[] = [];
  readonly #onError: (error: unknown) => void;

  /** `onError` is called when an index function throws. */
  constructor(onError: (error: unknown) => void = () => undefined) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  /** Calls back for each; an iterator would make something for each. */
  forEach(call: (object: T, key: string) => void): void {
    this.#objects.forEach(call);
  }

  list(query: Query = {}): T[] {
    const { namespace } = query;
    const labels = labelMatcher(query.labelSelector);
    const fields = fieldMatcher(query.fieldSelector);
    const found: T[] = [];
    for (const object of this.#candidates(namespace, labels, fields)) {
      if (namespace !== undefined && object.metadata?.namespace !== namespace) continue;
      if (labels.matches(object.metadata?.labels) && matchesFields(fields, object)) found.push(object);
    }
    return found;
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#named.get(name);
    if (!index) throw new Error(`there is no index "${name}"`);
    return this.#objectsOf({ index, value });
  }

  addIndex(name: string, of: IndexFunction<T>): void {
    const known = this.#named.get(name);
    if (!known) this.#named.set(name, this.#build(of));
    else if (known.of !== of) throw new Error(`there is another index "${name}" already`);
  }

  indexLabel(label: string): void {
    if (this.#labels.has(label)) return;
    const index = this.#build((object) => {
      const value = object.metadata?.labels?.[label];
      return value === undefined ? [] : [value];
    });
    this.#labels.set(label, index);
  }

  indexField(path: string): void {
    if (this.#fields.has(path)) return;
    const index = this.#build((object) => [fieldText(object, path)]);
    this.#fields.set(path, index);
  }

  /** Puts an object; returns the one it replaces. */
  set(key: string, object: T): T | undefined {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes) index.update(key, previous, object);
    return previous;
  }

  /** Takes an object out and returns it. */
  delete(key: string): T | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes) index.update(key, previous, undefined);
    return previous;
  }

  #build(of: IndexFunction<T>): StoreIndex<T> {
    const index = new StoreIndex(of, this.#onError);
    for (const [key, object] of this.#objects) index.update(key, undefined, object);
    this.#indexes.push(index);
    return index;
  }

  #candidates(namespace: string | undefined, labels: LabelMatcher, fields: FieldMatcher): Iterable<T> {
    let best: Candidate<T> | undefined;
    for (const candidate of this.#helpful(namespace, labels, fields)) {
      if (!best || candidate.index.count(candidate.value) < best.index.count(best.value)) best = candidate;
    }
    return best ? this.#objectsOf(best) : this.#objects.values();
  }

  *#helpful(
    namespace: string | undefined,
    labels: LabelMatcher,
    fields: FieldMatcher,
  ): Iterable<Candidate<T>> {
    for (const [label, index] of this.#labels) {
      const value = labels.exactValue(label);
      if (value !== undefined) yield { index, value };
    }
    for (const [path, index] of this.#fields) {
      const value = fields.exactValue(path);
      // An absent boolean counts as "false" but is indexed as empty.
      if (value !== undefined && value !== "false") yield { index, value };
    }
    if (namespace === undefined) return;
    this.#namespaces ??= this.#build((object) => [object.metadata?.namespace ?? ""]);
    yield { index: this.#namespaces, value: namespace };
  }

  #objectsOf({ index, value }: Candidate<T>): T[] {
    const found: T[] = [];
    for (const key of index.keys(value)) {
      const object = this.#objects.get(key);
      if (object) found.push(object);
    }
    return found;
  }
}

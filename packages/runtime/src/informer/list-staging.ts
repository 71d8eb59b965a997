// A list on its way into the cache. It comes in pieces and may fail half-way, so it is collected first and then replaces
// what is cached in one step: a cache never shows half a list, and what vanished meanwhile is found by its absence.
import type { KubeObject } from "@kubewright/api";
import { type Cache, readableMetadata } from "./cache.js";
import type { ListSink } from "./kind-source.js";
import { isSameState, keyOf, objectKey } from "./object-key.js";
import type { WriteOverlay } from "./write-overlay.js";

/** The part of the cache a list is for. */
export interface StagedPart {
  readonly overlay: WriteOverlay;
  readonly namespace: string | undefined;
  readonly hasSynced: boolean;
}

export class ListStaging<T extends KubeObject> implements ListSink<T> {
  readonly #cache: Cache<T>;
  readonly #part: StagedPart;
  readonly #onCommit: (version: string) => void;
  readonly #number: number;
  readonly #objects = new Map<string, T>();
  /** Listed, but set aside: key to uid. */
  readonly #rejected = new Map<string, string | undefined>();

  constructor(cache: Cache<T>, part: StagedPart, onCommit: (version: string) => void) {
    this.#cache = cache;
    this.#part = part;
    this.#onCommit = onCommit;
    this.#number = part.overlay.beginList();
  }

  put(raw: T): void {
    const object = this.#cache.admit(raw, false);
    if (object) {
      const key = objectKey(object);
      // A relist mostly brings what is known; keeping the known object lets the new copy go at once.
      const known = this.#cache.store.get(key);
      this.#objects.set(key, known && isSameState(known, object) ? known : object);
    } else this.#reject(raw);
  }

  delete(raw: T): void {
    const metadata = readableMetadata(raw);
    if (!metadata) return;
    const key = keyOf(metadata.name ?? "", metadata.namespace);
    this.#objects.delete(key);
    this.#rejected.delete(key);
  }

  commit(version: string): void {
    const { overlay, hasSynced } = this.#part;
    const list = { version, number: this.#number };
    const isFirst = this.#cache.store.size === 0;
    this.#objects.forEach((object, key) => {
      if (!overlay.isOlderInList(key, object.metadata, list))
        this.#cache.put(key, object, "list", !hasSynced);
    });
    for (const key of isFirst ? [] : this.#vanished()) {
      if (!overlay.isOlderInList(key, undefined, list)) this.#cache.remove(key, "list");
    }
    this.#forgetSetAside();
    overlay.listed(list);
    this.#onCommit(version);
  }

  #reject(raw: T): void {
    const metadata = readableMetadata(raw);
    if (metadata) this.#rejected.set(keyOf(metadata.name ?? "", metadata.namespace), metadata.uid);
  }

  *#vanished(): Iterable<string> {
    for (const [key, object] of this.#cache.store.entries()) {
      if (this.#objects.has(key) || !this.#isInPart(key)) continue;
      const isSetAside = this.#rejected.has(key) && this.#rejected.get(key) === object.metadata?.uid;
      if (!isSetAside) yield key;
    }
  }

  #forgetSetAside(): void {
    const { setAside } = this.#cache;
    for (const { key } of setAside.objects)
      if (this.#isInPart(key) && !this.#rejected.has(key)) setAside.delete(key);
  }

  #isInPart(key: string): boolean {
    const { namespace } = this.#part;
    return namespace === undefined || key.startsWith(`${namespace}/`);
  }
}

// The part of a cache that one reflector fills: all of it, or one namespace. It decides what of the watch, of lists and of
// own writes is news.
import { compareResourceVersions, type KubeObject, type ObjectMeta } from "@kubewright/api";
import { type Cache, readableMetadata } from "./cache.js";
import type { ListSink } from "./kind-source.js";
import { ListStaging } from "./list-staging.js";
import { keyOf, objectKey } from "./object-key.js";
import type { ReflectorSink } from "./reflector.js";
import type { Selector } from "./selection.js";
import { isBefore, type ObjectVersion, WriteOverlay } from "./write-overlay.js";

export interface CachePartOptions {
  /** The namespace this part is for; all of them if undefined. */
  readonly namespace: string | undefined;
  readonly selector: Selector;
  /** Called when the first list is in the cache. */
  readonly onSynced: () => void;
}

export class CachePart<T extends KubeObject> implements ReflectorSink<T> {
  readonly overlay = new WriteOverlay();
  readonly namespace: string | undefined;
  readonly #cache: Cache<T>;
  readonly #options: CachePartOptions;
  /** Everything up to this version is in the cache. */
  #position: string | undefined;

  constructor(cache: Cache<T>, options: CachePartOptions) {
    this.#cache = cache;
    this.#options = options;
    this.namespace = options.namespace;
  }

  get hasSynced(): boolean {
    return this.#position !== undefined;
  }

  begin(): ListSink<T> {
    return new ListStaging(this.#cache, this, (version) => {
      const isFirst = !this.hasSynced;
      this.#position = version;
      if (isFirst) this.#options.onSynced();
    });
  }

  put(raw: T): void {
    const object = this.#cache.admit(raw, false);
    if (!object) {
      this.#dropPredecessor(raw);
      return;
    }
    this.#position = object.metadata?.resourceVersion ?? this.#position;
    const key = objectKey(object);
    if (!this.overlay.isOlder(key, object.metadata ?? {}, false))
      this.#cache.put(key, object, "watch", false);
  }

  delete(raw: T): void {
    const metadata = readableMetadata(raw);
    if (!metadata) return;
    this.#position = metadata.resourceVersion ?? this.#position;
    const key = keyOf(metadata.name ?? "", metadata.namespace);
    this.#cache.setAside.delete(key);
    if (this.overlay.isOlder(key, metadata, true)) return;
    if (this.#cache.store.get(key)?.metadata?.uid === metadata.uid) this.#cache.remove(key, "watch");
  }

  reached(version: string): void {
    this.#position = version;
    for (const key of this.overlay.reached(version)) this.#cache.remove(key, "watch");
  }

  /** A write was answered with this object: from now on nothing older is shown. */
  recordWrite(raw: T): void {
    const { resourceVersion = "", uid } = raw.metadata ?? {};
    if (this.#isPassed(resourceVersion)) return;
    const written: ObjectVersion = { uid, resourceVersion };
    const object = this.#cache.admit(raw, true);
    if (!object) return;
    const key = objectKey(object);
    const known = this.#cache.store.get(key)?.metadata;
    if ((known && !isBefore(known, written)) || this.overlay.isOutdone(key, written)) return;
    this.overlay.wrote(key, written);
    if (this.#options.selector.matches(raw)) this.#cache.put(key, object, "write", false);
    else this.#cache.remove(key, "write");
  }

  /** A deletion was answered. Without a uid, the object that is cached is taken to be the one. */
  recordDelete({ name = "", namespace, uid, resourceVersion }: ObjectMeta): void {
    const key = keyOf(name, namespace);
    const known = this.#cache.store.get(key)?.metadata;
    const gone = { uid: uid ?? known?.uid, resourceVersion: resourceVersion ?? known?.resourceVersion };
    if (gone.uid === undefined) return;
    const isSuccessor = known !== undefined && known.uid !== gone.uid && !isBefore(known, gone);
    if (isSuccessor || this.overlay.isOutdone(key, gone)) return;
    this.overlay.deleted(key, gone);
    this.#cache.remove(key, "write");
  }

  /** The last good state of an object that was set aside stays; one of the same name before it does not. */
  #dropPredecessor(raw: T): void {
    const metadata = readableMetadata(raw);
    if (!metadata) return;
    const key = keyOf(metadata.name ?? "", metadata.namespace);
    if (this.#cache.store.get(key)?.metadata?.uid !== metadata.uid) this.#cache.remove(key, "watch");
  }

  /** True when the watch has delivered the successor of this version already, or versions cannot be compared. */
  #isPassed(version: string): boolean {
    return compareResourceVersions(this.#position ?? "0", version) !== -1;
  }
}

// One kind kept in step with the server, for any number of readers and listeners.
//
// Guarantees
// - Once synced, the store holds every selected object as the server had it a moment ago, and never half a list.
// - Event handlers receive each change once, in order for each object (see the delta queue).
// - Whatever the server does, it keeps trying; `problem` says what is in the way. One bad object does not stop the others.
// - After `close`, nothing is left behind: no timer, no connection, no call to a listener.
import type { Clock, KubeObject, ObjectMeta, ResourceDescriptor } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { Cache } from "./cache.js";
import { CachePart } from "./cache-part.js";
import { ObjectDecoder } from "./decoding/object-decoder.js";
import type { TextMemory } from "./decoding/text-memory.js";
import { isFinal } from "./final-answer.js";
import { Gate } from "./gate.js";
import { type OwnedFields, OwnFields } from "./own-fields.js";
import { Reflector, type ReflectorCounts } from "./reflector.js";
import type { ReflectorProblem, ReflectorState } from "./reflector-state.js";
import { type Selection, Selector } from "./selection.js";
import type { SetAsideObject } from "./set-aside.js";
import type { StoreReader } from "./store.js";
import type { ChangeHandler } from "./subscribers.js";

/** The objects of a kind that are cached, and their form. */
export interface CacheSettings<T> extends Selection {
  /** Makes objects smaller before they are stored. Must keep name, namespace, uid and resourceVersion. */
  readonly transform?: ((object: T) => T) | undefined;
  /** Keeps managedFields in the objects. Default: they are dropped. */
  readonly keepManagedFields?: boolean | undefined;
}

/** Which kind an informer caches, restricted how, and from which client. */
export interface InformerOptions<T extends KubeObject> extends CacheSettings<T> {
  readonly client: Client;
  readonly resource: ResourceDescriptor<T, unknown>;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  readonly random?: (() => number) | undefined;
  /** Our field manager: what it owns is remembered when managedFields are dropped. */
  readonly fieldManager?: string | undefined;
  /** Freezes what is stored, so that a mutation throws at its own line. For development and tests. */
  readonly freeze?: boolean | undefined;
  /** A watch silent for longer than this many milliseconds is dead. Default: 150,000. */
  readonly idleTimeout?: number | undefined;
  /** The longest pause of a streaming list, in milliseconds, before it falls back to pages. Default: 10,000. */
  readonly streamTimeout?: number | undefined;
  /** Objects in a page of a list. Default: 500. */
  readonly pageSize?: number | undefined;
  /** Parts of objects that were decoded lately; informers that share one also share equal parts. */
  readonly memory?: TextMemory | undefined;
  /** Called with every failure; without it, failures are only retried. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * A cache of one kind.
 *
 * @example
 * const pods = new Informer({ client, resource: Pod, clock: systemClock, namespaces: ["shop"] });
 * pods.start();
 * await pods.synced();
 * pods.store.list({ labelSelector: "app=web" });
 */
export class Informer<T extends KubeObject> {
  readonly resource: ResourceDescriptor<T, unknown>;
  readonly selector: Selector;
  readonly #cache: Cache<T>;
  readonly #ownFields: OwnFields;
  readonly #parts: readonly CachePart<T>[];
  readonly #reflectors: readonly Reflector<T>[];
  readonly #synced = new Gate();
  #isClosed = false;

  constructor(options: InformerOptions<T>) {
    const { resource, clock } = options;
    const onError = safely(options.onError);
    this.resource = resource;
    this.selector = new Selector(
      resource.scope === "Cluster" ? { ...options, namespaces: undefined } : options,
    );
    this.#ownFields = new OwnFields(options.fieldManager ?? "");
    const { transform, keepManagedFields, freeze } = options;
    const form = { transform, keepManagedFields, freeze, ownFields: this.#ownFields };
    this.#cache = new Cache<T>({ ...form, clock, onError, kind: resource.kind });
    this.#parts = (this.selector.namespaces ?? [undefined]).map(
      (namespace) =>
        new CachePart(this.#cache, {
          namespace,
          selector: this.selector,
          onSynced: () => this.#onPartSynced(),
        }),
    );
    this.#reflectors = this.#parts.map((part) => this.#reflectorFor(part, options, onError));
  }

  /** The cached objects, with indexes. */
  get store(): StoreReader<T> {
    return this.#cache.store;
  }

  /** True when the first list is in the store. */
  get hasSynced(): boolean {
    return this.#parts.every((part) => part.hasSynced);
  }

  /** The state of each watch: one, or one for each namespace. */
  get states(): readonly ReflectorState[] {
    return this.#reflectors.map(({ state }) => state);
  }

  /** The counters of each watch. */
  get counts(): readonly ReflectorCounts[] {
    return this.#reflectors.map(({ counts }) => counts);
  }

  /** The error that keeps the cache from being in sync at the moment, if there is one. */
  get problem(): ReflectorProblem | undefined {
    return this.#reflectors.find(({ problem }) => problem)?.problem;
  }

  /** Objects that could not be cached, and how often that happened. */
  get setAside(): { readonly objects: readonly SetAsideObject[]; readonly count: number } {
    return this.#cache.setAside;
  }

  /** Calls back for every change from now on; what is cached already comes first, as additions. */
  onChange(handler: ChangeHandler<T>): () => void {
    return this.#cache.subscribe(handler);
  }

  /** Resolves when the first list is in the store; rejects when that will not happen, or no longer matters. */
  synced(signal?: AbortSignal): Promise<void> {
    return this.#synced.wait(signal);
  }

  start(): void {
    if (this.#isClosed) return;
    for (const reflector of this.#reflectors) reflector.start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cache.close();
    await Promise.all(this.#reflectors.map((reflector) => reflector.close()));
    this.#synced.fail(new Error(`the cache of ${this.resource.kind} is closed`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The server answered a write with this object: from now on nothing older is read here. */
  recordWrite(object: T): void {
    if (isFinal(this.resource, object)) this.recordDelete(object.metadata ?? {});
    else this.#partOf(object.metadata)?.recordWrite(object);
  }

  /** The server answered a deletion: from now on the object is not read here. */
  recordDelete(metadata: ObjectMeta): void {
    this.#partOf(metadata)?.recordDelete(metadata);
  }

  /** Our managed fields of an object from the store; with them, applies that would change nothing are skipped. */
  ownFields(object: T): readonly OwnedFields[] {
    return this.#ownFields.of(object);
  }

  #reflectorFor(
    part: CachePart<T>,
    options: InformerOptions<T>,
    onError: (error: unknown) => void,
  ): Reflector<T> {
    const { client, resource, clock } = options;
    const { labels, fields } = this.selector;
    return new Reflector<T>({
      client,
      resource,
      clock,
      sink: part,
      selection: {
        namespace: part.namespace,
        labelSelector: labels.toString() || undefined,
        fieldSelector: fields.toString() || undefined,
      },
      random: options.random ?? Math.random,
      idleTimeout: options.idleTimeout ?? 150_000,
      streamTimeout: options.streamTimeout ?? 10_000,
      pageSize: options.pageSize ?? 500,
      decode: decoderFor(options),
      onError,
    });
  }

  #partOf(metadata: ObjectMeta | undefined): CachePart<T> | undefined {
    return this.#parts.find(({ namespace }) => namespace === undefined || namespace === metadata?.namespace);
  }

  #onPartSynced(): void {
    if (this.hasSynced) this.#synced.open();
  }
}

/** A transform may change what it is given, so that nothing of it may be shared; its results are shared afterwards. */
function decoderFor<T extends KubeObject>(
  options: InformerOptions<T>,
): ((document: Uint8Array) => unknown) | undefined {
  const { transform, keepManagedFields, fieldManager = "", memory } = options;
  if (transform) return undefined;
  const decoder = new ObjectDecoder({ ownManager: keepManagedFields ? undefined : fieldManager, memory });
  return (document) => decoder.decode(document);
}

/** Reporting a failure must not become another one. */
function safely(report: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      report?.(error);
    } catch {
      // The handler for errors failed itself: there is no other way to report.
    }
  };
}

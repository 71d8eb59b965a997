// The informers of a manager: one for each kind and selection, however many controllers use it, for as long as one does.
// Only kinds that were asked for are watched.
import {
  apiVersionOf,
  type Clock,
  type KubeObject,
  type ObjectMeta,
  type ResourceDescriptor,
} from "@kubewright/api";
import { type Client, isMetadata } from "@kubewright/client";
import { TextMemory } from "./decoding/text-memory.js";
import { isFinal } from "./final-answer.js";
import { type CacheSettings, Informer } from "./informer.js";
import { type Query, type Selection, Selector } from "./selection.js";

/** Options of a pool of informers. */
export interface InformerPoolOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  /** Our field manager: what it owns is remembered when managedFields are dropped. */
  readonly fieldManager?: string | undefined;
  /** Freezes what is cached. For development and tests. */
  readonly freeze?: boolean | undefined;
  /** The cache settings of kinds that are not cached whole. */
  readonly kinds?: readonly KindSettings[] | undefined;
  /** Called with errors of the cache of a kind. */
  readonly onError?: ((resource: ResourceDescriptor, error: unknown) => void) | undefined;
}

/** The cache settings of one kind, made with `cacheKind`. */
export interface KindSettings {
  readonly resource: ResourceDescriptor;
  readonly settings: CacheSettings<KubeObject>;
}

/** Says how a kind is cached: in which namespaces, which objects, in which form. */
export function cacheKind<T extends KubeObject>(
  resource: ResourceDescriptor<T, unknown>,
  settings: CacheSettings<T>,
): KindSettings {
  // The pool gives a transform only objects of its own kind.
  return { resource, settings: settings as unknown as CacheSettings<KubeObject> };
}

/** The use of a shared informer, which stops when the last user has returned it. */
export interface InformerLease<T extends KubeObject> {
  readonly informer: Informer<T>;
  /** Gives the share back; with the last one the watch ends. */
  release(): Promise<void>;
}

interface Entry {
  readonly informer: Informer<KubeObject>;
  leases: number;
}

/** The informers of a manager: one for each kind and selection, shared by its controllers. */
export class InformerPool {
  readonly #options: InformerPoolOptions;
  readonly #entries = new Map<string, Entry>();
  /** The informers of each kind in any version, found when first asked for; forgotten when one comes or goes. */
  readonly #byKind = new Map<string, readonly Informer<KubeObject>[]>();
  readonly #memory = new TextMemory();

  constructor(options: InformerPoolOptions) {
    this.#options = options;
  }

  /** All that run. */
  get informers(): readonly Informer<KubeObject>[] {
    return [...this.#entries.values()].map(({ informer }) => informer);
  }

  /** A lease on the shared informer of a kind; the first lease starts it. Default selection: that of the pool. */
  acquire<T extends KubeObject>(
    resource: ResourceDescriptor<T, unknown>,
    selection?: Selection,
  ): InformerLease<T> {
    const settings = { ...this.#settingsOf(resource), ...stated(selection) };
    const id = `${identityOf(resource)} ${new Selector(settings)}`;
    let entry = this.#entries.get(id);
    if (!entry) {
      entry = { informer: this.#start(resource, settings), leases: 0 };
      this.#entries.set(id, entry);
      this.#byKind.clear();
    }
    entry.leases++;
    return { informer: typed(resource, entry.informer), release: this.#releaser(id, entry) };
  }

  /** A synced informer that holds every object the query means; undefined when there is none. */
  find<T extends KubeObject>(
    resource: ResourceDescriptor<T, unknown>,
    query: Query,
  ): Informer<T> | undefined {
    const identity = identityOf(resource);
    for (const { informer } of this.#entries.values()) {
      if (identityOf(informer.resource) !== identity || !informer.hasSynced) continue;
      if (informer.selector.covers(query)) return typed(resource, informer);
    }
    return undefined;
  }

  /** True when a synced informer holds every object of the kind in the namespace: what it lacks does not exist. */
  holdsAll(resource: ResourceDescriptor<KubeObject, unknown>, namespace: string | undefined): boolean {
    return this.find(resource, { namespace })?.selector.isWholeNamespace(namespace) ?? false;
  }

  /** The object of that key, if a synced informer of the kind holds it. */
  lookUp<T extends KubeObject>(resource: ResourceDescriptor<T, unknown>, key: string): T | undefined {
    const identity = identityOf(resource);
    for (const { informer } of this.#entries.values()) {
      if (identityOf(informer.resource) !== identity || !informer.hasSynced) continue;
      const object = typed(resource, informer).store.get(key);
      if (object) return object;
    }
    return undefined;
  }

  /** The server answered a write with this object: nothing older is read from any cache of its kind. */
  recordWrite<T extends KubeObject>(resource: ResourceDescriptor<T, unknown>, object: T): void {
    // Decided here: a metadata-only cache does not see enough of the object.
    if (isFinal(resource, object)) {
      this.recordDelete(resource, object.metadata ?? {});
      return;
    }
    for (const informer of this.#of(resource)) {
      if (isMetadata(informer.resource)) informer.recordWrite(metadataOf(informer, object));
      // Another version of the kind has another shape; it shows the write when its event comes.
      else if (informer.resource.version === resource.version) informer.recordWrite(object);
    }
  }

  /** The server answered a deletion: the object is read from no cache of its kind. */
  recordDelete(resource: ResourceDescriptor, metadata: ObjectMeta): void {
    for (const informer of this.#of(resource)) informer.recordDelete(metadata);
  }

  async close(): Promise<void> {
    const informers = this.informers;
    this.#entries.clear();
    this.#byKind.clear();
    await Promise.all(informers.map((informer) => informer.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #of({ group, plural }: ResourceDescriptor): readonly Informer<KubeObject>[] {
    const id = `${plural}.${group}`;
    let found = this.#byKind.get(id);
    if (!found) {
      found = this.informers.filter(({ resource }) => resource.group === group && resource.plural === plural);
      this.#byKind.set(id, found);
    }
    return found;
  }

  #settingsOf(resource: ResourceDescriptor): CacheSettings<KubeObject> | undefined {
    const identity = identityOf(resource);
    return this.#options.kinds?.find((kind) => identityOf(kind.resource) === identity)?.settings;
  }

  #start(
    resource: ResourceDescriptor<KubeObject, unknown>,
    settings: CacheSettings<KubeObject>,
  ): Informer<KubeObject> {
    const { client, clock, random, fieldManager, freeze, onError } = this.#options;
    const informer = new Informer<KubeObject>({
      ...settings,
      client,
      clock,
      random,
      fieldManager,
      freeze,
      resource,
      memory: this.#memory,
      onError: (error) => onError?.(resource, error),
    });
    informer.start();
    return informer;
  }

  #releaser(id: string, entry: Entry): () => Promise<void> {
    let isHeld = true;
    return async () => {
      if (!isHeld) return;
      isHeld = false;
      if (--entry.leases > 0) return;
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
      this.#byKind.clear();
      await entry.informer.close();
    };
  }
}

/** The fields that a selection sets; the others come from the pool's settings. */
function stated(selection: Selection = {}): Selection {
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
}

/** Equal for descriptors of the same kind in the same version and view. */
function identityOf(resource: ResourceDescriptor): string {
  return `${apiVersionOf(resource)}/${resource.plural}${isMetadata(resource) ? " metadata" : ""}`;
}

/** The informer under the identity of a descriptor was made from an equal one, so the cast is safe. */
function typed<T extends KubeObject>(
  _resource: ResourceDescriptor<T, unknown>,
  informer: Informer<KubeObject>,
): Informer<T> {
  return informer as unknown as Informer<T>;
}

function metadataOf({ resource }: Informer<KubeObject>, { metadata }: KubeObject): KubeObject {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
}

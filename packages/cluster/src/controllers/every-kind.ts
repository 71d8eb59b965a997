// The metadata of every object in the cluster, of kinds built in and of kinds that come and go with their CRDs: what
// garbage collection and the deletion of namespaces work on. Nothing is watched until somebody asks.
import { CustomResourceDefinition } from "@kubewright/api";
import {
  type Client,
  type DynamicResource,
  metadataOnly,
  type PartialObjectMetadata,
} from "@kubewright/client";
import type { InformerLease, InformerPool, ObjectChange } from "@kubewright/runtime";

/** Called with every change of every kind. */
export type EveryChange = (resource: DynamicResource, change: ObjectChange<PartialObjectMetadata>) => void;

export interface EveryKindOptions {
  readonly client: Client;
  readonly pool: InformerPool;
  readonly report: (where: string, error: unknown) => void;
}

interface Watched {
  readonly resource: DynamicResource;
  readonly lease: InformerLease<PartialObjectMetadata>;
  readonly unsubscribe: () => void;
}

export class EveryKind {
  readonly #options: EveryKindOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #handlers = new Set<EveryChange>();
  #definitions: InformerLease<CustomResourceDefinition> | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;

  constructor(options: EveryKindOptions) {
    this.#options = options;
  }

  /** Calls the handler with every object as an addition, and then with every change. Resolves after the last of these additions. */
  async subscribe(handler: EveryChange): Promise<() => void> {
    for (const { resource, lease } of this.#watched.values())
      for (const [key, current] of lease.informer.store.entries())
        handler(resource, { key, previous: undefined, current, initial: true, origin: "list" });
    this.#handlers.add(handler);
    await this.#start();
    return () => this.#handlers.delete(handler);
  }

  /** The kinds that can be watched and deleted, each in one version. */
  get resources(): readonly DynamicResource[] {
    return [...this.#watched.values()].map(({ resource }) => resource);
  }

  /** The objects of a namespace, kind by kind. */
  *inNamespace(namespace: string): Iterable<readonly [DynamicResource, readonly PartialObjectMetadata[]]> {
    for (const { resource, lease } of this.#watched.values()) {
      if (resource.scope !== "Namespaced") continue;
      const objects = lease.informer.store.list({ namespace });
      if (objects.length > 0) yield [resource, objects];
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#refreshing?.catch(() => undefined);
    await this.#definitions?.release();
    await Promise.all([...this.#watched.values()].map((watched) => end(watched)));
    this.#watched.clear();
  }

  async #start(): Promise<void> {
    if (!this.#definitions) {
      this.#definitions = this.#options.pool.acquire(CustomResourceDefinition);
      this.#definitions.informer.onChange(() => this.#refresh());
      this.#refresh();
    }
    await this.#refreshing;
    await Promise.all([...this.#watched.values()].map(({ lease }) => lease.informer.synced()));
  }

  #refresh(): void {
    this.#isStale = true;
    this.#refreshing ??= this.#readKinds()
      .catch((error: unknown) => this.#options.report("discovery", error))
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  async #readKinds(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      const resources = await this.#options.client.resources({ refresh: true });
      if (this.#isClosed) return;
      const wanted = collectable(resources);
      for (const [id, resource] of wanted) if (!this.#watched.has(id)) this.#watch(id, resource);
      for (const [id, watched] of this.#watched) {
        if (wanted.has(id)) continue;
        this.#watched.delete(id);
        await end(watched);
      }
    }
  }

  #watch(id: string, resource: DynamicResource): void {
    const lease = this.#options.pool.acquire(metadataOnly(resource));
    const unsubscribe = lease.informer.onChange((change) => {
      for (const handler of this.#handlers) handler(resource, change);
    });
    this.#watched.set(id, { resource, lease, unsubscribe });
  }
}

async function end({ lease, unsubscribe }: Watched): Promise<void> {
  unsubscribe();
  await lease.release();
}

const needed = ["list", "watch", "delete"];

/** Each kind once, in the version its group lists first. Events go by themselves. */
function collectable(resources: readonly DynamicResource[]): Map<string, DynamicResource> {
  const found = new Map<string, DynamicResource>();
  for (const resource of resources) {
    const id = `${resource.group}/${resource.plural}`;
    if (resource.plural === "events" || !needed.every((verb) => resource.verbs.includes(verb))) continue;
    if (!found.has(id)) found.set(id, resource);
  }
  return found;
}

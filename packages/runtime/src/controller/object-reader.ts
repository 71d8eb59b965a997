// The reads of a reconcile: from the cache of a watched kind, else from the server.
import type { Duplex } from "node:stream";
import { isNotFound, type KubeObject, Pod, type Scale } from "@kubewright/api";
import type { CachedClient } from "../informer/cached-client.js";
import { keyOf } from "../informer/object-key.js";
import type { DeclaredKinds } from "./declared-kinds.js";
import type { AnyResource } from "./kinds.js";
import type { ListOptions, ReadOptions, ScaleTarget } from "./reconcile-context.js";
import type { Run } from "./run.js";
import type { ReadName } from "./run-notes.js";
import { scalableKind } from "./scaling.js";
import { podIndex } from "./watch-pods.js";

/** The dependencies of a reader. */
export interface ReadScope {
  readonly client: CachedClient;
  readonly kinds: DeclaredKinds;
  readonly fieldManager: string;
}

export class ObjectReader {
  readonly #scope: ReadScope;
  readonly #run: Run;

  constructor(scope: ReadScope, run: Run) {
    this.#scope = scope;
    this.#run = run;
  }

  async get(kind: AnyResource, name: string, options: ReadOptions = {}): Promise<KubeObject | undefined> {
    const { client, kinds } = this.#scope;
    const { resource } = kinds.readable(kind);
    this.#run.check();
    const namespace = this.#namespaceFor(resource, options.namespace);
    const cached = options.live ? undefined : client.cached(resource, name, namespace);
    const target = keyOf(name, namespace);
    if (!cached)
      return this.#run
        .readObject(resource, target, (bounds) => client.live.get(resource, name, { ...bounds, namespace }))
        .catch(absent);
    this.#run.noteCached({ verb: "get", resource, target }, cached.object ? [cached.object] : []);
    return cached.object;
  }

  async list(kind: AnyResource, { live, ...query }: ListOptions = {}): Promise<readonly KubeObject[]> {
    const { client, kinds } = this.#scope;
    const { resource } = kinds.readable(kind);
    this.#run.check();
    const cached = live ? undefined : client.cachedList(resource, query);
    const name: ReadName = { verb: "list", resource, target: selectionText(query) };
    if (cached) {
      this.#run.noteCached(name, cached);
      return cached;
    }
    const work = this.#run.read((bounds) => client.live.list(resource, { ...bounds, ...query }));
    const { items } = await this.#run.notes.read(name, work, (list) => list.items);
    return items;
  }

  byIndex(kind: AnyResource, index: string, value: string): readonly KubeObject[] {
    const { informer, indexName, resource } = this.#scope.kinds.readable(kind);
    if (!informer) throw new Error(`${kind.kind} is not watched, so it has no index "${index}"`);
    const found = informer.store.byIndex(indexName(index), value);
    this.#run.noteCached({ verb: "list", resource, target: `${index} ${value}` }, found);
    return found;
  }

  pods(): readonly KubeObject[] {
    const { name = "", namespace } = this.#run.object.metadata ?? {};
    return this.byIndex(Pod, podIndex, keyOf(name, namespace));
  }

  /** The stream is not bound to the reconcile: connections are kept for the next one. */
  connect(pod: string, port: number): Promise<Duplex> {
    const { client } = this.#scope;
    this.#run.check();
    const { namespace } = this.#run.object.metadata ?? {};
    return this.#run.read(() => client.live.pods.portForward(pod, port, { namespace }));
  }

  /** Reads the scale of a target, or sets it. */
  async scale(target: ScaleTarget, replicas?: number): Promise<Scale | undefined> {
    const { client, kinds, fieldManager } = this.#scope;
    const run = this.#run;
    const resource = kinds.scalable(await run.read(() => scalableKind(client.live, target)));
    const { name } = target;
    const namespace = this.#namespaceFor(resource, undefined);
    if (replicas === undefined)
      return run
        .readObject(resource, `${keyOf(name, namespace)}/scale`, (bounds) =>
          client.live.getScale(resource, name, { ...bounds, namespace }),
        )
        .catch(absent);
    const work = run.write((bounds) =>
      client.live.scale(resource, name, replicas, { ...bounds, namespace, fieldManager }),
    );
    return run.notes.write("patch", resource, keyOf(name, namespace), work, (scale) => scale).catch(absent);
  }

  #namespaceFor(resource: AnyResource, given: string | undefined): string | undefined {
    return resource.scope === "Namespaced" ? (given ?? this.#run.object.metadata?.namespace) : undefined;
  }
}

/** The namespace and the selector of a list; empty for all objects. */
function selectionText({ namespace, labelSelector }: Omit<ListOptions, "live">): string {
  const selector = typeof labelSelector === "object" ? JSON.stringify(labelSelector) : labelSelector;
  return [namespace, selector].filter(Boolean).join(" ");
}

/** A failure that only says that there is no such object. */
export function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

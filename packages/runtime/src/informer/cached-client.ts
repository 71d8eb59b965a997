// The client of a manager: reads come from a cache where there is one that knows the answer, writes go to the server and
// are seen by the next read. It never starts a watch: a kind that is not watched is read from the server.
import {
  ApiError,
  isNotFound,
  type KubeList,
  type KubeObject,
  type ResourceDescriptor,
} from "@kubewright/api";
import type {
  ApplyInput,
  ApplyOptions,
  Client,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Patch,
  PatchOptions,
  UpdateOptions,
} from "@kubewright/client";
import type { InformerPool } from "./informer-pool.js";
import { keyOf } from "./object-key.js";

/**
 * Reads from caches, reads its own writes.
 *
 * @example
 * await client.create(ConfigMap, { metadata: { name: "a", namespace: "shop" } });
 * await client.get(ConfigMap, "a", { namespace: "shop" }); // is there, with no request if ConfigMaps are watched
 */
export class CachedClient {
  /** Always asks the server. */
  readonly live: Client;
  readonly #pool: InformerPool;

  constructor(live: Client, pool: InformerPool) {
    this.live = live;
    this.#pool = pool;
  }

  /** Reads one object, from a cache if one holds it. */
  async get<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: GetOptions = {},
  ): Promise<T> {
    const cached =
      options.resourceVersion === undefined ? this.cached(resource, name, options.namespace) : undefined;
    if (!cached) return this.live.get(resource, name, options);
    if (cached.object) return cached.object;
    throw notFound(resource, name, resource.scope === "Namespaced" ? options.namespace : undefined);
  }

  /** The cache's answer for an object: the object, that there is none, or nothing at all (undefined). */
  cached<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    given: string | undefined,
  ): { readonly object: T | undefined } | undefined {
    const namespace = resource.scope === "Namespaced" ? given : undefined;
    if (resource.scope === "Namespaced" && namespace === undefined) return undefined;
    const object = this.#pool.lookUp(resource, keyOf(name, namespace));
    return object || this.#pool.holdsAll(resource, namespace) ? { object } : undefined;
  }

  /** The objects of a collection, if a cache holds all of it. */
  cachedList<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: ListOptions = {},
  ): readonly T[] | undefined {
    return this.#pool.find(resource, options)?.store.list(options);
  }

  /** Reads a collection, from a cache if one holds all of it. Pages come from the server. */
  async list<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    const { resourceVersion, limit, continue: next } = options;
    const isPlain = resourceVersion === undefined && limit === undefined && next === undefined;
    const items = isPlain ? this.cachedList(resource, options) : undefined;
    return items ? { metadata: {}, items } : this.live.list(resource, options);
  }

  async create<T extends KubeObject, Input extends KubeObject>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<Input>,
    options: CreateOptions = {},
  ): Promise<T> {
    return this.#written(resource, options, await this.live.create(resource, object, options));
  }

  async update<T extends KubeObject, Input extends KubeObject>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<Input>,
    options: UpdateOptions = {},
  ): Promise<T> {
    return this.#written(resource, options, await this.live.update(resource, object, options));
  }

  async patch<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    return this.#written(resource, options, await this.live.patch(resource, name, patch, options));
  }

  async apply<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<ApplyInput<Input>>,
    options: ApplyOptions = {},
  ): Promise<T> {
    return this.#written(resource, options, await this.live.apply(resource, object, options));
  }

  async delete<T extends KubeObject, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const { namespace, preconditions } = options;
    const answer = await this.live.delete(resource, name, options).catch((error: unknown) => {
      // Somebody else deleted it, or we did and the answer was lost: a cache that is behind must not show it again and again.
      if (isNotFound(error) && preconditions?.uid !== undefined)
        this.#pool.recordDelete(resource, { name, namespace, uid: preconditions.uid });
      throw error;
    });
    if (options.dryRun) return answer;
    if (answer?.metadata?.deletionTimestamp) this.#pool.recordWrite(resource, answer);
    else this.#pool.recordDelete(resource, { name, namespace, uid: preconditions?.uid, ...answer?.metadata });
    return answer;
  }

  /** The server does not say what it deleted: it shows as the events arrive. */
  deleteCollection<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: DeleteCollectionOptions = {},
  ): Promise<void> {
    return this.live.deleteCollection(resource, options);
  }

  /** The response to a dry run was never stored, and that of a subresource may be another kind. */
  #written<T extends KubeObject>(
    resource: ResourceDescriptor<T, unknown>,
    { dryRun }: UpdateOptions,
    answer: T,
  ): T {
    if (!dryRun && answer.kind === resource.kind) this.#pool.recordWrite(resource, answer);
    return answer;
  }
}

function notFound(
  { kind, plural, group }: ResourceDescriptor,
  name: string,
  namespace: string | undefined,
): ApiError {
  const message = `get ${kind} ${keyOf(name, namespace)}: ${plural}${group && `.${group}`} "${name}" not found`;
  return new ApiError(message, { code: 404, reason: "NotFound", details: { name, group, kind: plural } });
}

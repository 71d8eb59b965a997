// The client: typed verbs over a Transport. It knows no socket and no credential; those are the transport's.
import type { KubeList, KubeObject, ResourceDescriptor, WatchEvent } from "@kubewright/api";
import type { ApplyInput } from "./apply-input.js";
import { Caller, type ClientOptions } from "./caller.js";
import type {
  ApplyOptions,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ItemsOptions,
  ListOptions,
  ObjectOptions,
  Patch,
  PatchOptions,
  UpdateOptions,
  WatchOptions,
} from "./options.js";
import { pages } from "./pages.js";
import { listQuery, queryOf, selectionValues, watchQuery, writeQuery } from "./query.js";
import { deletionBody, identified, patchBody } from "./request-parts.js";
import { listOf, objectOf } from "./result.js";
import { isStatus } from "./status-error.js";
import { acceptListOf } from "./view.js";
import { Watch } from "./watch.js";

/**
 * Talks to an API server.
 *
 * @example
 * const client = new Client({ transport: undiciTransport({ server: "http://127.0.0.1:8001" }) });
 * const web = await client.get(Deployment, "web", { namespace: "shop" });
 */
export class Client {
  readonly #caller: Caller;

  constructor(options: ClientOptions) {
    this.#caller = new Caller(options);
  }

  /** Reads one object. */
  async get<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: GetOptions = {},
  ): Promise<T> {
    const call = this.#caller.object("get", resource, name, options);
    const query = queryOf({ resourceVersion: options.resourceVersion });
    return objectOf(call.what, resource, await this.#caller.perform({ ...call, method: "GET", query }));
  }

  /** Reads a collection, or one page of it. */
  async list<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    const call = this.#caller.collection("list", resource, options);
    const accept = acceptListOf(resource);
    const query = listQuery(options);
    return listOf(call.what, resource, await this.#caller.perform({ ...call, method: "GET", accept, query }));
  }

  /** Reads a collection page by page. */
  items<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: ItemsOptions = {},
  ): AsyncGenerator<T, void, undefined> {
    return pages((page) => this.list(resource, page), options);
  }

  /** Creates an object. */
  async create<T, Input extends KubeObject>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<Input>,
    options: CreateOptions = {},
  ): Promise<T> {
    const { name, namespace } = object.metadata ?? {};
    const call = this.#caller.creation(resource, name, placed(options, namespace));
    const query = writeQuery(options, this.#caller.fieldManager);
    const body = identified(resource, object);
    return objectOf(
      call.what,
      resource,
      await this.#caller.perform({ ...call, method: "POST", query, body }),
    );
  }

  /** Replaces an object, or with `subresource: "status"` its status. */
  async update<T, Input extends KubeObject>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<Input>,
    options: UpdateOptions = {},
  ): Promise<T> {
    const { name, namespace } = object.metadata ?? {};
    const call = this.#caller.object("update", resource, name, placed(options, namespace));
    const query = writeQuery(options, this.#caller.fieldManager);
    const body = identified(resource, object);
    return objectOf(call.what, resource, await this.#caller.perform({ ...call, method: "PUT", query, body }));
  }

  /** Changes part of an object. */
  async patch<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    const call = this.#caller.object("patch", resource, name, options);
    const query = writeQuery(options, this.#caller.fieldManager);
    const answer = await this.#caller.perform({ ...call, method: "PATCH", query, ...patchBody(patch) });
    return objectOf(call.what, resource, answer);
  }

  /** Declares fields by server-side apply; creates the object if it is not there. */
  async apply<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<ApplyInput<Input>>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    const call = this.#caller.object("apply", resource, name, placed(options, namespace));
    const answer = await this.#caller.perform({
      ...call,
      method: "PATCH",
      query: writeQuery(options, this.#caller.fieldManager, options.force),
      body: identified(resource, object),
      contentType: "application/apply-patch+yaml",
    });
    return objectOf(call.what, resource, answer);
  }

  /** Deletes an object. Gives it back when the server does, as it does for one that is still going. */
  async delete<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const call = this.#caller.object("delete", resource, name, options);
    const answer = await this.#caller.perform({ ...call, method: "DELETE", body: deletionBody(options) });
    return isStatus(answer) ? undefined : objectOf(call.what, resource, answer);
  }

  /** Deletes every object selected. */
  async deleteCollection<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: DeleteCollectionOptions = {},
  ): Promise<void> {
    const call = this.#caller.collection("delete all", resource, options);
    const query = queryOf(selectionValues(options));
    await this.#caller.perform({ ...call, method: "DELETE", query, body: deletionBody(options) });
  }

  /**
   * Follows changes. Ends when the server ends it; fails with an ApiError when the server fails it, and with a
   * TimeoutError when the connection has gone silent.
   */
  watch<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: WatchOptions = {},
  ): AsyncIterableIterator<WatchEvent<T>, undefined> {
    const call = this.#caller.collection("watch", resource, options);
    const idleTimeout = options.idleTimeout ?? (options.allowWatchBookmarks ? 120_000 : 0);
    return new Watch(this.#caller.context, {
      ...call,
      resource,
      method: "GET",
      query: watchQuery(options),
      idleTimeout: idleTimeout === 0 ? undefined : idleTimeout,
    });
  }

  /** Closes the connections of the transport, if it has any. Calls under way fail. */
  async close(): Promise<void> {
    await this.#caller.transport.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Options that fall back to the object's own namespace. */
function placed<Options extends ObjectOptions>(options: Options, namespace: string | undefined): Options {
  return options.namespace === undefined ? { ...options, namespace } : options;
}

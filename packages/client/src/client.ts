// The client: typed verbs over a Transport. It knows no socket and no credential; those are the transport's.
import {
  ApiError,
  type KubeList,
  type KubeObject,
  type ResourceDescriptor,
  type Scale,
  ServiceAccount,
  type TokenRequest,
  type TokenRequestSpec,
} from "@kubewright/api";
import type { ApplyInput, WholeObject } from "./apply-input.js";
import { Caller, type ClientOptions } from "./caller.js";
import { Discovery, type DynamicResource } from "./discovery.js";
import type {
  ApplyOptions,
  CallOptions,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ItemsOptions,
  ListOptions,
  ObjectOptions,
  Patch,
  PatchOptions,
  RawOptions,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from "./options.js";
import { pages } from "./pages.js";
import { Pods } from "./pods/pods.js";
import { listQuery, queryOf, selectionValues, watchQuery, writeQuery } from "./query.js";
import { deletionBody, identified, patchBody } from "./request-parts.js";
import { listOf, objectOf, trusted } from "./result.js";
import { readScale, writeScale } from "./scale.js";
import { isStatus } from "./status-error.js";
import { type Table, type TableOptions, tableAccept } from "./table.js";
import { acceptListOf } from "./view.js";
import { Watch, type WatchIterator } from "./watch.js";

/**
 * Talks to an API server.
 *
 * @example
 * const client = new Client({ transport: undiciTransport({ server: "http://127.0.0.1:8001" }) });
 * const web = await client.get(Deployment, "web", { namespace: "shop" });
 */
export class Client {
  /** Logs, programs, ports, eviction and binding of pods. */
  readonly pods: Pods;
  /** The server is in this process. */
  readonly inProcess: boolean;
  readonly #caller: Caller;
  readonly #discovery: Discovery;

  constructor(options: ClientOptions) {
    this.inProcess = options.inProcess ?? false;
    this.#caller = new Caller(options);
    this.#discovery = new Discovery(this.#caller);
    this.pods = new Pods(this.#caller);
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
    const { decode } = options;
    const answer = await this.#caller.perform({ ...call, method: "GET", accept, query, decode });
    return listOf(call.what, resource, answer);
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
    const { name, generateName, namespace } = object.metadata ?? {};
    const call = this.#caller.creation(resource, name ?? generateName, placed(options, namespace));
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
  async apply<T, Input, Whole>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<ApplyInput<Input>> | WholeObject<Whole, T | Input>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const applied = object as KubeObject;
    const { name, namespace } = applied.metadata ?? {};
    const call = this.#caller.object("apply", resource, name, placed(options, namespace));
    const answer = await this.#caller.perform({
      ...call,
      method: "PATCH",
      query: writeQuery(options, this.#caller.fieldManager, options.force),
      body: identified(resource, applied),
      contentType: "application/apply-patch+yaml",
    });
    return objectOf(call.what, resource, answer);
  }

  /** Deletes an object. Returns it when the server does, as it does for one that is still terminating. */
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
  watch<T, Input>(resource: ResourceDescriptor<T, Input>, options: WatchOptions = {}): WatchIterator<T> {
    const call = this.#caller.collection("watch", resource, options);
    const idleTimeout = options.idleTimeout ?? (options.allowWatchBookmarks ? 120_000 : 0);
    return new Watch(this.#caller.context, {
      ...call,
      resource,
      method: "GET",
      query: watchQuery(options),
      timeout: call.timeout ?? openingTimeout,
      idleTimeout: idleTimeout === 0 ? undefined : idleTimeout,
      decode: options.decode,
    });
  }

  /** A collection, or one object, as `kubectl get` would print it. */
  async table(resource: ResourceDescriptor, options: TableOptions = {}): Promise<Table> {
    const { name, includeObject } = options;
    const call =
      name === undefined
        ? this.#caller.collection("list", resource, options)
        : this.#caller.object("get", resource, name, options);
    const query = listQuery(options, { includeObject });
    return trusted<Table>(await this.#caller.perform({ ...call, method: "GET", accept: tableAccept, query }));
  }

  /** Reads the desired and the actual number of replicas of an object (subresource `scale`). */
  getScale(resource: ResourceDescriptor, name: string, options: ObjectOptions = {}): Promise<Scale> {
    return readScale(this.#caller, resource, name, options);
  }

  /** Sets how many replicas an object wants. */
  scale(
    resource: ResourceDescriptor,
    name: string,
    replicas: number,
    options: WriteOptions = {},
  ): Promise<Scale> {
    return writeScale(this.#caller, resource, name, replicas, options);
  }

  /** A token for a service account, bound and of limited life. */
  async createToken(
    serviceAccount: string,
    spec: TokenRequestSpec = {},
    options: WriteOptions = {},
  ): Promise<TokenRequest> {
    const call = this.#caller.object("create", ServiceAccount, serviceAccount, {
      ...options,
      subresource: "token",
    });
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const query = writeQuery(options, this.#caller.fieldManager);
    return trusted<TokenRequest>(await this.#caller.perform({ ...call, method: "POST", query, body }));
  }

  /**
   * The descriptor of a kind that is known only at run time, from the server's own account of its kinds.
   *
   * @example
   * const Widget = await client.resource({ apiVersion: "example.com/v1", kind: "Widget" });
   * await client.get(Widget, "a", { namespace: "shop" });
   */
  async resource(
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
    options: CallOptions = {},
  ): Promise<DynamicResource> {
    const found = await this.#discovery.find(apiVersion, kind, options);
    if (found) return found;
    const message = `the server has no kind ${kind} in ${apiVersion}; is its CustomResourceDefinition installed?`;
    throw new ApiError(message, { code: 404, reason: "NotFound", details: { kind } });
  }

  /** Every resource the server has. Kept; `refresh` asks again. */
  resources(
    options: CallOptions & { readonly refresh?: boolean | undefined } = {},
  ): Promise<readonly DynamicResource[]> {
    return this.#discovery.resources(options);
  }

  /** Calls a path that serves no resource, such as `/version`: its JSON, or its text where it has none. */
  async raw(path: string, options: RawOptions = {}): Promise<unknown> {
    const { method = "GET", query, body } = options;
    const bounds = this.#caller.bounds(options);
    return this.#caller.performRaw({ what: `${method} ${path}`, method, path, query, body, ...bounds });
  }

  /** Closes the connections of the transport, if it has any. Calls under way fail. */
  async close(): Promise<void> {
    await this.#caller.transport.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A watch begins at once, whether or not anything happens; one that does not begin never will. */
const openingTimeout = 60_000;

/** Options that fall back to the object's own namespace. */
function placed<Options extends ObjectOptions>(options: Options, namespace: string | undefined): Options {
  return options.namespace === undefined ? { ...options, namespace } : options;
}

// The client: typed verbs over a Transport. It knows no socket and no credential; those are the transport's.
import {
  type Clock,
  type KubeList,
  type KubeObject,
  type ResourceDescriptor,
  systemClock,
  type Transport,
  type WatchEvent,
} from "@kubewright/api";
import type { ApplyInput } from "./apply-input.js";
import { type Call, type CallContext, perform } from "./call.js";
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
import { listQuery, queryOf, selectionValues, watchQuery, writeQuery } from "./query.js";
import { bounds, deletionBody, identified, patchBody } from "./request-parts.js";
import { listOf, trusted } from "./result.js";
import { isStatus } from "./status-error.js";
import { type WarningHandler, WarningSink } from "./warnings.js";
import { watchEvents } from "./watch.js";

export interface ClientOptions {
  readonly transport: ClosableTransport;
  readonly userAgent?: string | undefined;
  /** Who owns the fields this client writes, unless a call says otherwise. */
  readonly fieldManager?: string | undefined;
  /** For calls on namespaced objects that name no namespace. Without it such a call is an error. */
  readonly defaultNamespace?: string | undefined;
  /** The time limit of calls that set none. */
  readonly timeout?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Hears each API warning once. */
  readonly onWarning?: WarningHandler | undefined;
}

/** A transport that may hold connections. */
export interface ClosableTransport extends Transport {
  close?(): Promise<void>;
}

/**
 * Talks to an API server.
 *
 * @example
 * const client = new Client({ transport: undiciTransport({ server: "http://127.0.0.1:8001" }) });
 * const web = await client.get(Deployment, "web", { namespace: "shop" });
 */
export class Client {
  readonly #context: CallContext;
  readonly #options: ClientOptions;
  readonly #fieldManager: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#fieldManager = options.fieldManager ?? "kubewright";
    this.#context = {
      transport: options.transport,
      clock: options.clock ?? systemClock,
      userAgent: options.userAgent ?? "kubewright",
      warnings: new WarningSink(options.onWarning),
    };
  }

  /** Reads one object. */
  async get<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: GetOptions = {},
  ): Promise<T> {
    const query = queryOf({ resourceVersion: options.resourceVersion });
    return this.#one<T>({ ...this.#object("get", resource, name, options), method: "GET", query });
  }

  /** Reads a collection, or one page of it. */
  async list<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    const answer = await this.#perform({
      ...this.#collection("list", resource, options),
      method: "GET",
      query: listQuery(options),
    });
    return listOf<T>(resource, answer);
  }

  /** Reads a collection page by page. */
  async *items<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: ItemsOptions = {},
  ): AsyncGenerator<T, void, undefined> {
    const { pageSize = 500, ...selection } = options;
    let page = await this.list(resource, { ...selection, limit: pageSize });
    yield* page.items;
    while (page.metadata.continue) {
      const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = selection;
      page = await this.list(resource, { ...rest, limit: pageSize, continue: page.metadata.continue });
      yield* page.items;
    }
  }

  /** Creates an object. */
  async create<T, Input extends KubeObject>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<Input>,
    options: CreateOptions = {},
  ): Promise<T> {
    const namespace = this.#namespace("create", resource, options.namespace ?? object.metadata?.namespace);
    const query = writeQuery(options, this.#fieldManager);
    const body = identified(resource, object);
    return this.#one<T>({
      verb: "create",
      resource,
      namespace,
      method: "POST",
      query,
      body,
      ...bounds(options),
    });
  }

  /** Replaces an object, or with `subresource: "status"` its status. */
  async update<T, Input extends KubeObject>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<Input>,
    options: UpdateOptions = {},
  ): Promise<T> {
    const call = this.#object("update", resource, object.metadata?.name, {
      ...options,
      namespace: options.namespace ?? object.metadata?.namespace,
    });
    const query = writeQuery(options, this.#fieldManager);
    return this.#one<T>({
      ...call,
      subresource: options.subresource,
      method: "PUT",
      query,
      body: identified(resource, object),
    });
  }

  /** Changes part of an object. */
  async patch<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    return this.#one<T>({
      ...this.#object("patch", resource, name, options),
      subresource: options.subresource,
      method: "PATCH",
      query: writeQuery(options, this.#fieldManager),
      ...patchBody(patch),
    });
  }

  /** Declares fields by server-side apply; creates the object if it is not there. */
  async apply<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    object: NoInfer<ApplyInput<Input>>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    const call = this.#object("apply", resource, name, {
      ...options,
      namespace: options.namespace ?? namespace,
    });
    return this.#one<T>({
      ...call,
      subresource: options.subresource,
      method: "PATCH",
      query: writeQuery(options, this.#fieldManager, options.force),
      body: identified(resource, object),
      contentType: "application/apply-patch+yaml",
    });
  }

  /** Deletes an object. Gives it back when the server does, as it does for one that is still going. */
  async delete<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    name: string,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const answer = await this.#perform({
      ...this.#object("delete", resource, name, options),
      method: "DELETE",
      body: deletionBody(options),
    });
    return isStatus(answer) ? undefined : trusted<T>(answer);
  }

  /** Deletes every object selected. */
  async deleteCollection<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: DeleteCollectionOptions = {},
  ): Promise<void> {
    await this.#perform({
      ...this.#collection("delete all", resource, options),
      method: "DELETE",
      query: queryOf(selectionValues(options)),
      body: deletionBody(options),
    });
  }

  /** Follows changes. Ends when the server ends it; fails with an ApiError when the server fails it. */
  async *watch<T, Input>(
    resource: ResourceDescriptor<T, Input>,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const call = this.#collection("watch", resource, options);
    const events = watchEvents(this.#context, { ...call, method: "GET", query: watchQuery(options) });
    for await (const event of events) yield trusted<WatchEvent<T>>(event);
  }

  /** Closes the connections of the transport, if it has any. Calls under way fail. */
  async close(): Promise<void> {
    await this.#options.transport.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #perform(call: Call): Promise<unknown> {
    return perform(this.#context, { ...call, timeout: call.timeout ?? this.#options.timeout });
  }

  async #one<T>(call: Call): Promise<T> {
    return trusted<T>(await this.#perform(call));
  }

  #object(verb: string, resource: ResourceDescriptor, name: string | undefined, options: ObjectOptions) {
    if (name === undefined || name === "") throw new TypeError(`${verb} ${resource.kind}: a name is needed`);
    const namespace = this.#namespace(verb, resource, options.namespace);
    return { verb, resource, name, namespace, ...bounds(options) };
  }

  #collection(verb: string, resource: ResourceDescriptor, options: ObjectOptions) {
    const namespace = resource.scope === "Namespaced" ? options.namespace : undefined;
    return { verb, resource, namespace, ...bounds(options) };
  }

  #namespace(verb: string, resource: ResourceDescriptor, given: string | undefined): string | undefined {
    if (resource.scope === "Cluster") return undefined;
    const namespace = given ?? this.#options.defaultNamespace;
    if (namespace === undefined) throw new TypeError(`${verb} ${resource.kind}: a namespace is needed`);
    return namespace;
  }
}

// The base of all verbs: how a call on a resource is addressed, and the defaults of the client.
import { setMaxListeners } from "node:events";
import { type Clock, type ResourceDescriptor, systemClock } from "@kubewright/api";
import { type Call, type CallContext, perform, performRaw } from "./call.js";
import type { CallOptions, ObjectOptions } from "./options.js";
import { describeTarget, resourcePath } from "./resource-path.js";
import type { ClosableTransport } from "./transport/closable-transport.js";
import { acceptOf } from "./view.js";
import { type WarningHandler, WarningSink } from "./warnings.js";

/** How a client reaches the API server, and what it does with every request: retries, rate limit, warnings, metrics. */
export interface ClientOptions {
  readonly transport: ClosableTransport;
  readonly userAgent?: string | undefined;
  /** The field manager of writes of this client, where a call names no other. Default: `kubewright`. */
  readonly fieldManager?: string | undefined;
  /** For calls on namespaced objects that name no namespace. Without it such a call is an error. */
  readonly defaultNamespace?: string | undefined;
  /** The time limit of calls that set none, in milliseconds; for watches and logs, until they begin. */
  readonly timeout?: number | undefined;
  readonly clock?: Clock | undefined;
  /** The server is in this process: nothing in between can fail in silence, so watches need neither a watchdog nor an early end. */
  readonly inProcess?: boolean | undefined;
  /** Called once for each distinct API warning. */
  readonly onWarning?: WarningHandler | undefined;
}

/** The part of a call that says on what, and for how long. */
export type Addressed = Pick<Call, "what" | "path" | "accept" | "signal" | "timeout" | "beforeSend">;

/** Addresses and performs calls. */
export class Caller {
  readonly context: CallContext;
  readonly fieldManager: string;
  readonly transport: ClosableTransport;
  readonly #defaultNamespace: string | undefined;
  readonly #timeout: number | undefined;

  constructor(options: ClientOptions) {
    this.transport = options.transport;
    this.fieldManager = options.fieldManager ?? "kubewright";
    this.#defaultNamespace = options.defaultNamespace;
    this.#timeout = options.timeout;
    this.context = {
      transport: options.transport,
      clock: options.clock ?? systemClock,
      userAgent: options.userAgent ?? "kubewright",
      warnings: new WarningSink(options.onWarning),
    };
  }

  perform(call: Call): Promise<unknown> {
    return perform(this.context, call);
  }

  performRaw(call: Call): Promise<unknown> {
    return performRaw(this.context, call);
  }

  /** A call on one object. */
  object(
    verb: string,
    resource: ResourceDescriptor,
    name: string | undefined,
    options: ObjectOptions & { readonly subresource?: string | undefined },
  ): Addressed {
    if (name === undefined || name === "")
      throw new TypeError(`${verb} ${resource.kind}: a name is needed (metadata.name)`);
    const namespace = this.#namespace(verb, resource, options.namespace);
    return this.#address(verb, { resource, namespace, name, subresource: options.subresource }, options);
  }

  /** A call on a collection, in one namespace or in all. */
  collection(verb: string, resource: ResourceDescriptor, options: ObjectOptions): Addressed {
    const namespace = resource.scope === "Namespaced" ? options.namespace : undefined;
    return this.#address(verb, { resource, namespace }, options);
  }

  /** The collection an object is created in. `name` is for messages: the name, or the prefix of one the server generates. */
  creation(resource: ResourceDescriptor, name: string | undefined, options: ObjectOptions): Addressed {
    const namespace = this.#namespace("create", resource, options.namespace);
    const { path, ...call } = this.#address("create", { resource, namespace }, options);
    return { ...call, path, what: `create ${describeTarget({ resource, namespace, name })}` };
  }

  /** The bounds of a call, with the client's own limit where it sets none. */
  bounds({
    signal,
    timeout = this.#timeout,
    beforeSend,
  }: CallOptions): Pick<Call, "signal" | "timeout" | "beforeSend"> {
    // Many calls at once may share one signal, which Node would take for a leak.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    return { signal, timeout, beforeSend };
  }

  #address(verb: string, target: Parameters<typeof resourcePath>[0], options: CallOptions): Addressed {
    return {
      what: `${verb} ${describeTarget(target)}`,
      path: resourcePath(target),
      accept: acceptOf(target.resource),
      ...this.bounds(options),
    };
  }

  #namespace(verb: string, resource: ResourceDescriptor, given: string | undefined): string | undefined {
    if (resource.scope === "Cluster") return undefined;
    const namespace = given ?? this.#defaultNamespace;
    if (namespace === undefined) throw new TypeError(`${verb} ${resource.kind}: a namespace is needed`);
    return namespace;
  }
}

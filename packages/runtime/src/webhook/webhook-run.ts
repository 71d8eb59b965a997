// The context of a handler, for one request.
import { ApiError, type Clock, isNotFound, type UntypedObject } from "@kubewright/api";
import { type AnyResource, kindIdentity } from "../controller/kinds.js";
import type { ListOptions, ReadOptions } from "../controller/reconcile-context.js";
import type { CachedClient } from "../informer/cached-client.js";
import type { Logger } from "../logging/logger.js";
import type { AdmissionRequest } from "./admission-request.js";
import type { AnyWebhookContext, WebhookDefinition } from "./define-webhook.js";
import type { DenyOptions } from "./webhook-context.js";

export interface WebhookRunOptions {
  readonly definition: WebhookDefinition;
  readonly request: AdmissionRequest;
  readonly client: CachedClient | undefined;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
}

export class WebhookRun implements AnyWebhookContext {
  readonly warnings: string[] = [];
  readonly signal: AbortSignal;
  readonly #options: WebhookRunOptions;

  constructor(options: WebhookRunOptions) {
    this.#options = options;
    this.signal = options.signal;
  }

  get operation() {
    return this.#options.request.operation;
  }
  get oldObject() {
    return this.#options.request.oldObject;
  }
  get name() {
    return this.#options.request.name;
  }
  get namespace() {
    return this.#options.request.namespace;
  }
  get subresource() {
    return this.#options.request.subresource;
  }
  get user() {
    return this.#options.request.user;
  }
  get dryRun() {
    return this.#options.request.dryRun;
  }
  get uid() {
    return this.#options.request.uid;
  }
  get options(): UntypedObject {
    return this.#options.request.options;
  }

  get log(): Logger {
    const { log, definition, request } = this.#options;
    const { operation, namespace, name, uid, user } = request;
    const { kind } = definition.resource;
    return log.with({ webhook: definition.name, kind, namespace, name, operation, user: user.username, uid });
  }

  // Fields rather than methods, so that authors may destructure the context.

  readonly now = (): number => this.#options.clock.now();

  readonly warn = (text: string): void => {
    // Warnings travel in an HTTP header: one line each.
    this.warnings.push(text.replaceAll(/\s*[\r\n]+\s*/g, " ").trim());
  };

  readonly deny = (message: string, { code = 403, reason = "Forbidden" }: DenyOptions = {}): never => {
    throw new ApiError(message, { code, reason });
  };

  readonly get = async (
    kind: AnyResource,
    name: string,
    options: ReadOptions = {},
  ): Promise<never | undefined> => {
    const client = this.#clientFor(kind);
    const place = {
      namespace: kind.scope === "Namespaced" ? (options.namespace ?? this.namespace) : undefined,
      signal: this.signal,
    };
    const reading = options.live ? client.live.get(kind, name, place) : client.get(kind, name, place);
    const found = await reading.catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    return found && typed(found);
  };

  readonly list = async (kind: AnyResource, options: ListOptions = {}): Promise<readonly never[]> => {
    const client = this.#clientFor(kind);
    const { live, ...query } = options;
    const { items } = await (live
      ? client.live.list(kind, { ...query, signal: this.signal })
      : client.list(kind, { ...query, signal: this.signal }));
    return items.map(typed);
  };

  #clientFor(kind: AnyResource): CachedClient {
    const { definition, client } = this.#options;
    const { resource, uses, watches } = definition;
    const identity = kindIdentity(kind);
    if (![resource, ...uses, ...watches].some((declared) => kindIdentity(declared) === identity))
      throw new Error(
        `webhook ${definition.name}: ${kind.kind} is not declared: add it to "uses" or "watches"`,
      );
    if (!client)
      throw new Error(`webhook ${definition.name}: it was given no client to read ${kind.kind} with`);
    return client;
  }
}

/** Objects read as a kind are of the type behind its descriptor. */
const typed = (object: unknown): never => object as never;

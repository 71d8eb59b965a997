// What a handler is told about the request it judges, and what it may do besides judging.
import type { ObjectOf, StatusReason, UntypedObject, UserInfo } from "@kubewright/api";
import type { ListOptions, ReadOptions } from "../controller/reconcile-context.js";
import type { Logger } from "../logging/logger.js";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** How a refusal looks to the client; 403 Forbidden unless told. */
export interface DenyOptions {
  readonly code?: number | undefined;
  readonly reason?: StatusReason | undefined;
}

/** Given to every handler, whole or taken apart. `Readable` are the kinds the webhook declared in `uses` and `watches`. */
export interface WebhookContext<T = UntypedObject, Readable = never> {
  readonly operation: Operation;
  /** The object as it is stored: for updates and deletions. */
  readonly oldObject: T | undefined;
  /** Empty while the server is still to generate it. */
  readonly name: string;
  /** Undefined for objects of the cluster as a whole. */
  readonly namespace: string | undefined;
  readonly subresource: string | undefined;
  /** Who asked. */
  readonly user: UserInfo;
  /** True when nothing will be stored: no effect outside the object may happen. */
  readonly dryRun: boolean;
  /** Names this question; it is in the logs of the API server too. */
  readonly uid: string;
  /** The options of the request, such as `fieldManager`. */
  readonly options: UntypedObject;
  /** Ends when the API server stops waiting. Hand it to what takes time. */
  readonly signal: AbortSignal;
  /** Adds webhook, kind, namespace, name, user and uid. */
  readonly log: Logger;

  /** The time of day, in milliseconds since 1970, on the manager's clock. */
  now(): number;
  /** Tells the client something it should know, whatever becomes of the request. One line, best under 120 characters. */
  warn(text: string): void;
  /** Refuses the request, by throwing. For what is wrong with a field, return or throw field errors instead. */
  deny(message: string, options?: DenyOptions): never;

  /** Reads an object: from the cache of a watched kind, else from the server. Undefined when there is none. */
  get<Kind extends Readable>(
    kind: Kind,
    name: string,
    options?: ReadOptions,
  ): Promise<ObjectOf<Kind> | undefined>;
  /** Reads objects: from the cache of a watched kind, else from the server. */
  list<Kind extends Readable>(kind: Kind, options?: ListOptions): Promise<readonly ObjectOf<Kind>[]>;
}

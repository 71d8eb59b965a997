// The context of a webhook handler: the request, reads, warnings, and refusal.
import type { ObjectOf, StatusReason, UntypedObject, UserInfo } from "@kubewright/api";
import type { ListOptions, ReadOptions } from "../controller/reconcile-context.js";
import type { Logger } from "../logging/logger.js";

/** The operation that an admission webhook is asked about. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The Status of a refusal. Default: 403 Forbidden. */
export interface DenyOptions {
  readonly code?: number | undefined;
  readonly reason?: StatusReason | undefined;
}

/** Passed to every handler. `Readable` are the kinds the webhook declared in `uses` and `watches`. */
export interface WebhookContext<T = UntypedObject, Readable = never> {
  readonly operation: Operation;
  /** The object as it is stored: for updates and deletions. */
  readonly oldObject: T | undefined;
  /** Empty before the server has generated it. */
  readonly name: string;
  /** Undefined for cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly subresource: string | undefined;
  /** The user who made the request. */
  readonly user: UserInfo;
  /** True when nothing will be stored: no effect outside the object may happen. */
  readonly dryRun: boolean;
  /** The uid of the AdmissionReview, which is in the audit log of the API server too. */
  readonly uid: string;
  /** The options of the request, such as `fieldManager`. */
  readonly options: UntypedObject;
  /** Aborted when the API server stops waiting. Pass it to whatever takes time. */
  readonly signal: AbortSignal;
  /** Adds webhook, kind, namespace, name, user and uid. */
  readonly log: Logger;

  /** The current time, in milliseconds since 1970, on the manager's clock. */
  now(): number;
  /** Returns a warning to the client, whether the request is allowed or not. One line, best under 120 characters. */
  warn(text: string): void;
  /** Refuses the request, by throwing. For an invalid field, return or throw field errors instead. */
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

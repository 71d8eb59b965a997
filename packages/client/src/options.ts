// The options of calls, verb by verb. Names are those of the Kubernetes API; times are milliseconds unless the name
// says seconds.
import type { LabelSelector } from "@kubewright/api";

/** What every call takes: a signal to cancel it, and a timeout in milliseconds. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gives up with a TimeoutError after this many milliseconds, retries included. Watches and logs need only begin. */
  readonly timeout?: number | undefined;
  /**
   * Called right before the request is written to its connection, for each attempt: a last check, after any wait for a connection or a retry.
   * When it throws nothing is sent, and the call rejects with that.
   */
  readonly beforeSend?: (() => void) | undefined;
}

/** Options of calls that name one object. */
export interface ObjectOptions extends CallOptions {
  /** For namespaced kinds; the object's own, then the client's default, when absent. */
  readonly namespace?: string | undefined;
}

/** Where `get` looks, and how fresh the answer has to be. */
export interface GetOptions extends ObjectOptions {
  /** `0` allows an answer from the server's cache. */
  readonly resourceVersion?: string | undefined;
}

/** The objects a collection call is about. Without a namespace: all of them. */
export interface SelectionOptions extends CallOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** The decoding of responses, where the server sends bytes. */
export interface DecodeOptions {
  /** Decodes a JSON document: a list, or one event of a watch. Throws when it cannot. Default: JSON.parse. */
  readonly decode?: ((document: Uint8Array) => unknown) | undefined;
}

/** Which objects `list` returns: by namespace, labels, fields and resource version. */
export interface ListOptions extends SelectionOptions, DecodeOptions {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

/** Which objects `items` goes through, and in pages of which size. */
export interface ItemsOptions extends SelectionOptions {
  /** Objects fetched at a time. Default: 500. */
  readonly pageSize?: number | undefined;
  /**
   * Fails (`isGone`) when the continue token of the first page has expired. Default: off; the rest is then read in its current
   * state, and every object that was there all the time comes exactly once.
   */
  readonly consistent?: boolean | undefined;
}

/** Which objects `watch` follows, from which resource version on, and how it notices a dead connection. */
export interface WatchOptions extends SelectionOptions, DecodeOptions {
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Streams the present state first, then a bookmark that says so. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The time after which the server ends the watch. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * The longest silence before the connection is taken for dead and the watch fails with a TimeoutError, in
   * milliseconds. Two minutes with bookmarks, which a server sends about every minute; else unlimited. 0 for unlimited.
   */
  readonly idleTimeout?: number | undefined;
}

/** Options of every call that changes something. */
export interface WriteOptions extends ObjectOptions {
  /** Runs everything but stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** The field manager of the write. Default: the client's. */
  readonly fieldManager?: string | undefined;
  /** Field validation: what the server does about unknown and duplicate fields. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

/** How `create` writes: dry run, field manager, validation of unknown fields. */
export interface CreateOptions extends WriteOptions {}

/** How `update` writes, and to which subresource. */
export interface UpdateOptions extends WriteOptions {
  readonly subresource?: string | undefined;
}

/** How `patch` writes, and to which subresource. */
export interface PatchOptions extends UpdateOptions {}

/** How server-side apply writes: field manager, whether conflicts are overridden, and to which subresource. */
export interface ApplyOptions extends UpdateOptions {
  /** Takes over fields that another manager owns. */
  readonly force?: boolean | undefined;
}

/** The deletion propagation policy: how dependents of a deleted object are removed. */
export type PropagationPolicy = "Background" | "Foreground" | "Orphan";

/** A delete happens only if the object still is this one. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

interface DeletionOptions {
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/** How `delete` deletes: grace period, propagation to dependents, and preconditions. */
export interface DeleteOptions extends ObjectOptions, DeletionOptions {
  readonly preconditions?: Preconditions | undefined;
}

/** Which objects `deleteCollection` deletes, and how. */
export interface DeleteCollectionOptions extends SelectionOptions, DeletionOptions {}

/** The body of `patch`: exactly one of the three forms. */
export type Patch =
  | { readonly merge: object }
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly strategic: object };

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/** The method, query and body of a request to any path. */
export interface RawOptions extends CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
}

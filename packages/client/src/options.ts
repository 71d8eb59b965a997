// What a call may be told, verb by verb. Names are those of the Kubernetes API; times are milliseconds unless the name
// says seconds.
import type { LabelSelector } from "@kubewright/api";

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gives up with a TimeoutError after this many milliseconds, retries included. Watches and logs need only begin. */
  readonly timeout?: number | undefined;
}

/** Options of calls that name one object. */
export interface ObjectOptions extends CallOptions {
  /** For namespaced kinds; the object's own, then the client's default, when absent. */
  readonly namespace?: string | undefined;
}

/** Options of `get`. */
export interface GetOptions extends ObjectOptions {
  /** `0` allows an answer from the server's cache. */
  readonly resourceVersion?: string | undefined;
}

/** Which objects a collection call is about. Without a namespace: all of them. */
export interface SelectionOptions extends CallOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | LabelSelector | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** How what the server sends becomes values, where it sends bytes. */
export interface DecodeOptions {
  /** Decodes a JSON document: a list, or one event of a watch. Throws when it cannot. JSON.parse unless told. */
  readonly decode?: ((document: Uint8Array) => unknown) | undefined;
}

/** Options of `list`. */
export interface ListOptions extends SelectionOptions, DecodeOptions {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

/** Options of `items`. */
export interface ItemsOptions extends SelectionOptions {
  /** Objects fetched at a time; 500 unless told. */
  readonly pageSize?: number | undefined;
  /**
   * Fails (`isGone`) when the server has forgotten the moment the first page was of. Unless told, the rest is read as it is
   * by then: every object that was there all the time comes exactly once.
   */
  readonly consistent?: boolean | undefined;
}

/** Options of `watch`. */
export interface WatchOptions extends SelectionOptions, DecodeOptions {
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Streams the present state first, then a bookmark that says so. */
  readonly sendInitialEvents?: boolean | undefined;
  /** When the server ends the watch. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * How long nothing may come before the connection is taken for dead and the watch fails with a TimeoutError, in
   * milliseconds. Two minutes with bookmarks, which a server sends about every minute; else unlimited. 0 for unlimited.
   */
  readonly idleTimeout?: number | undefined;
}

/** Options of every call that changes something. */
export interface WriteOptions extends ObjectOptions {
  /** Runs everything but stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** Who owns the fields written; the client's unless told. */
  readonly fieldManager?: string | undefined;
  /** What the server does about unknown and repeated fields. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
}

/** Options of `create`. */
export interface CreateOptions extends WriteOptions {}

/** Options of `update`. */
export interface UpdateOptions extends WriteOptions {
  readonly subresource?: string | undefined;
}

/** Options of `patch`. */
export interface PatchOptions extends UpdateOptions {}

/** Options of `apply`. */
export interface ApplyOptions extends UpdateOptions {
  /** Takes over fields that another manager owns. */
  readonly force?: boolean | undefined;
}

/** How dependents of a deleted object go. */
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

/** Options of `delete`. */
export interface DeleteOptions extends ObjectOptions, DeletionOptions {
  readonly preconditions?: Preconditions | undefined;
}

/** Options of `deleteCollection`. */
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

/** Options of `raw`. */
export interface RawOptions extends CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
}

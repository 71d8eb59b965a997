// The storage interface of the request path: one revision counter, optimistic concurrency, snapshots and a bounded history.
// Reads and writes are synchronous so that a read-check-write needs no lock; durability is awaited separately.

import { ApiError, type ObjectMeta } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

/** One write. For a deletion `object` is the last state, stamped with the revision of the deletion. */
export interface Change {
  readonly type: "put" | "delete";
  readonly revision: number;
  readonly key: string;
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
  /** About how many bytes the object takes as JSON. */
  readonly size: number;
  /** About how many bytes it takes in memory. */
  readonly memory: number;
  /** When it was written, in milliseconds that never jump. */
  readonly time: number;
}

export interface ListQuery {
  /** Only keys that start with this. */
  readonly prefix: string;
  /** Only keys after this one. */
  readonly after?: string | undefined;
  /** State as of this revision; now if absent. Throws CompactedError when it is no longer known. */
  readonly revision?: number | undefined;
}

/** A revision is older than the history that is kept. */
export class CompactedError extends Error {
  override readonly name = "CompactedError";
  readonly oldest: number;

  constructor(revision: number, oldest: number) {
    super(`revision ${revision} has been compacted, the oldest is ${oldest}`);
    this.oldest = oldest;
  }
}

/** Someone else wrote first. */
export class RevisionConflict extends Error {
  override readonly name = "RevisionConflict";
}

/** More than a store of Kubernetes takes; answered in the words of the one it has. */
export class ObjectTooLarge extends ApiError {
  constructor() {
    super("etcdserver: request is too large", { code: 500, reason: "Unknown" });
  }
}

/** The precondition of a write: a revision, no object, or any state. */
export type Expectation = { readonly revision: string } | "absent" | "any";

/** Stores objects under revisions, lists them at a revision and notifies watchers. */
export interface Storage {
  /** The revision of the newest write to anything. */
  readonly revision: number;
  /** The revision of the newest write that would survive the process; newer state is not shown to clients. */
  readonly flushedRevision: number;
  /** Whether any object ever stored here held an integer that a number would round. */
  readonly hasBigIntegers: boolean;
  get(resource: string, key: string): StoredObject | undefined;
  /** In key order; lazily, so that a page costs what it shows. Read it in one go: it looks at live state. */
  list(resource: string, query: ListQuery): Iterable<StoredObject>;
  /** The number of objects that `list` would return, without visiting them. */
  count(resource: string, query: ListQuery): number;
  /** Freezes and stores the object under the next revision. Throws RevisionConflict, and ObjectTooLarge. */
  put(resource: string, key: string, object: Unstamped, expected: Expectation): StoredObject;
  /** Returns the last state, stamped with the revision of the deletion. Throws RevisionConflict. */
  delete(resource: string, key: string, expected: Expectation): StoredObject;
  /**
   * Calls back for every change after `revision`, in order: first what history holds (before this returns), then
   * each write as it happens, or once it would survive the process. Throws CompactedError. The returned function ends it.
   */
  subscribe(
    resource: string,
    revision: number,
    onChange: (change: Change) => void,
    when?: "written" | "flushed",
  ): () => void;
  /** Every resource that has, or had, objects: how many, and how many writes there were since the start. */
  counts(): Iterable<readonly [resource: string, objects: number, changes: number]>;
  /** Forgets all history before `revision` (tests force "too old" with it). */
  compact(revision: number): void;
  /** Resolves when everything written so far would survive the process; rejects when it may not. */
  flushed(): Promise<void>;
}

/** An object about to be stored. */
export interface Unstamped {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

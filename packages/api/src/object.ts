import type { ObjectMeta } from "./generated/meta-v1.js";
import type { JsonObject } from "./json.js";

/** The fields every Kubernetes object has. Concrete kinds narrow it. */
export interface KubeObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
}

/** An object whose kind is known only at run time. */
export interface UntypedObject extends KubeObject {
  readonly [field: string]: unknown;
}

/** A list as the server returns it. */
export interface KubeList<T> {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** One event of a watch, as it travels. */
export interface WatchEvent<T = JsonObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: T;
}

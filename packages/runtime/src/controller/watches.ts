// Further kinds that matter to a controller's objects, and how a change of one leads to the keys it matters to.
import type { KubeObject, ObjectOf } from "@kubewright/api";
import { keyOf, objectKey } from "../informer/object-key.js";
import type { Selection } from "../informer/selection.js";
import type { IndexFunction } from "../informer/store-index.js";
import type { AnyResource } from "./kinds.js";
import type { Predicate } from "./predicates.js";

/** An object to reconcile: its key (`namespace/name`, or `name`), its name, or the object itself. */
export type Target = string | { readonly name: string; readonly namespace?: string | undefined } | KubeObject;

/** Finds objects of the controller's own kind in its cache. */
export interface OwnObjects {
  /** By one of the controller's indexes. */
  byIndex(index: string, value: string): readonly KubeObject[];
  all(): Iterable<KubeObject>;
}

/** Which objects of another kind are watched, and which objects are reconciled for them. */
export interface WatchSettings<T extends KubeObject> extends Selection {
  /**
   * The objects to reconcile for one of the watched kind. Called with the object before and with the object after a
   * change, so that what is no longer referred to heals too.
   */
  readonly targets: (object: T, own: OwnObjects) => readonly Target[];
  /** The predicate: which changes cause a reconcile. Default: all. */
  readonly when?: Predicate<T> | undefined;
  /** Indexes for `ctx.byIndex`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
}

/** A watched kind, made with `watch`. */
export interface Watched<Kind extends AnyResource = AnyResource> {
  readonly resource: Kind;
  readonly settings: WatchSettings<KubeObject>;
}

/**
 * Watches a kind besides the controller's own and its children.
 *
 * @example
 * indexes: { secret: (app) => [app.spec.secretName] },
 * watches: [watch(Secret, { targets: (secret, apps) => apps.byIndex("secret", secret.metadata?.name ?? "") })]
 */
export function watch<const Kind extends AnyResource>(
  resource: Kind,
  settings: WatchSettings<ObjectOf<Kind> & KubeObject>,
): Watched<Kind> {
  // The controller calls these only with objects of this kind.
  return { resource, settings: settings as unknown as WatchSettings<KubeObject> };
}

/** The key of a target. */
export function keyOfTarget(target: Target): string {
  if (typeof target === "string") return target;
  return "name" in target ? keyOf(target.name, target.namespace) : objectKey(target);
}

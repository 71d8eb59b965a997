// The definition of a controller: its kind, the kinds it owns, and the reconcile function.
import type { KubeObject, LabelSelector, ObjectOf, PolicyRule } from "@kubewright/api";
import type { IndexFunction } from "../informer/store-index.js";
import type { BackoffOptions } from "../queue/backoff.js";
import { type AnyResource, type KindOf, type Owned, type Used, used, type WritableKindOf } from "./kinds.js";
import type { Predicate } from "./predicates.js";
import type { ReconcileContext, StatusInput } from "./reconcile-context.js";
import type { Source } from "./sources.js";
import type { Watched } from "./watches.js";

/** The result of a reconcile: when to requeue. Without a result, the next change causes the next reconcile. */
export interface ReconcileResult {
  /** Milliseconds. */
  readonly requeueAfter?: number | undefined;
  /** A moment, in milliseconds since 1970. However long the rest of the reconcile takes, it is not later for that. */
  readonly requeueAt?: number | undefined;
}

type MaybePromise<T> = T | Promise<T>;
type Result = MaybePromise<ReconcileResult | undefined | void>;

/** The options that do not depend on the kinds involved. */
export interface ControllerSettings {
  /** Unique in its manager. Default: the kind in lower case. */
  readonly name?: string | undefined;
  /** Watches only these namespaces. Permissions there are then enough. */
  readonly namespaces?: readonly string[] | undefined;
  /** Reconciles only objects with these labels. */
  readonly labelSelector?: string | LabelSelector | undefined;
  /** Further reasons to reconcile, from outside the cluster. */
  readonly sources?: readonly Source[] | undefined;
  /**
   * Objects reconciled at once. Default: 32. Further keys wait in the queue, where they cost little; requests in flight are
   * bounded besides, by the manager's `maxInFlight`.
   */
  readonly concurrency?: number | undefined;
  /** The timeout of a reconcile, after which it is aborted and retried, in milliseconds. Default: 10 minutes. */
  readonly timeout?: number | undefined;
  /** The cache sync timeout, after which the missing caches are reported, in milliseconds. Default: 2 minutes. */
  readonly cacheSyncTimeout?: number | undefined;
  /** Collects what there is to do before leadership is won, so that work starts at once. */
  readonly warmUp?: boolean | undefined;
  /** Runs in every replica, leader or not. */
  readonly everywhere?: boolean | undefined;
  /** Where the manager shards: whether this controller's keys are shared too, or are the leader's. Default: shared. */
  readonly sharded?: boolean | undefined;
  readonly backoff?: BackoffOptions | undefined;
  /** Serves namespaces in turn, so that a busy one cannot hold up the others. */
  readonly fairBetweenNamespaces?: boolean | undefined;
  /**
   * False for a controller of a kind whose status belongs to another controller: `ctx.status` is refused, failures are reported
   * in events alone, and no permission to write the status is derived. Default: true.
   */
  readonly writesStatus?: boolean | undefined;
  /** Permissions that no declaration expresses. */
  readonly rbac?: readonly PolicyRule[] | undefined;
  /** The name of the finalizer. Default: `<group>/<controller>`. */
  readonly finalizer?: string | undefined;
}

/** What a controller watches and owns, how it reconciles an object, cleans up after it, and retries. */
export interface ControllerOptions<
  Resource extends AnyResource,
  Own extends readonly (AnyResource | Owned)[],
  Watch extends readonly Watched[],
  Use extends readonly (AnyResource | Used)[],
> extends ControllerSettings {
  /** Kinds it creates. A change to one leads back to its owner. */
  readonly owns?: Own | undefined;
  /** Further kinds whose changes matter, made with `watch`. */
  readonly watches?: Watch | undefined;
  /** Further kinds it reads or writes; `used` names the verbs it writes with, `readOnly` those it only reads. */
  readonly uses?: Use | undefined;
  /** The predicate: which changes of the kind itself cause a reconcile. Default: all. */
  readonly when?: Predicate<ObjectOf<Resource> & KubeObject> | undefined;
  /** Indexes of the kind itself, for `watches` and `ctx.byIndex`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<ObjectOf<Resource>>>> | undefined;
  /**
   * Brings the world in line with the object. Throwing means: again, later (a TerminalError: not until something
   * changes). It is called again after every relevant change, so it must be safe to repeat.
   */
  reconcile(object: ObjectOf<Resource>, context: ContextFor<Resource, Own, Watch, Use>): Result;
  /**
   * Cleans up outside the cluster when the object is deleted. Having it puts a finalizer on every object before its first
   * reconcile; the finalizer is removed when this succeeds. Returning `requeueAfter` means: not done yet.
   */
  finalize?(object: ObjectOf<Resource>, context: ContextFor<Resource, Own, Watch, Use>): Result;
  /** The status after a failure. */
  onError?(
    error: unknown,
    object: ObjectOf<Resource>,
  ): MaybePromise<StatusInput<Resource> | undefined | void>;
}

/** The context that the declarations of a controller allow. */
export type ContextFor<
  Resource,
  Own extends readonly unknown[],
  Watch extends readonly unknown[],
  Use extends readonly unknown[],
> = ReconcileContext<
  Resource,
  Resource | KindOf<Own[number] | Watch[number] | Use[number]>,
  KindOf<Own[number]> | WritableKindOf<Use[number]>
>;

type AnyContext = ReconcileContext<AnyResource, AnyResource, AnyResource>;

/** A controller, ready to be given to a manager. */
export interface ControllerDefinition extends ControllerSettings {
  readonly name: string;
  readonly resource: AnyResource;
  readonly owns: readonly Owned[];
  readonly watches: readonly Watched[];
  readonly uses: readonly Used[];
  readonly when: Predicate | undefined;
  readonly indexes: Readonly<Record<string, IndexFunction<KubeObject>>>;
  /** Undefined when nothing has to be cleaned up. */
  readonly finalizer: string | undefined;
  readonly reconcile: (object: KubeObject, context: AnyContext) => Result;
  readonly finalize: ((object: KubeObject, context: AnyContext) => Result) | undefined;
  readonly onError: ((error: unknown, object: KubeObject) => unknown) | undefined;
}

/**
 * Declares a controller. Loading it starts nothing.
 *
 * @example
 * export const controller = defineController(ModelBox, {
 *   owns: [Deployment],
 *   async reconcile(box, ctx) {
 *     const deployment = await ctx.apply(Deployment, deploymentFor(box));
 *     ctx.status({ readyReplicas: deployment.status?.readyReplicas ?? 0 });
 *   },
 * });
 */
export function defineController<
  const Resource extends AnyResource,
  const Own extends readonly (AnyResource | Owned)[] = readonly [],
  const Watch extends readonly Watched[] = readonly [],
  const Use extends readonly (AnyResource | Used)[] = readonly [],
>(resource: Resource, options: ControllerOptions<Resource, Own, Watch, Use>): ControllerDefinition {
  const name = options.name ?? resource.kind.toLowerCase();
  const { finalize, onError } = options;
  const erased = {
    ...options,
    name,
    resource,
    owns: (options.owns ?? []).map((entry) => ("resource" in entry ? entry : used(entry))),
    watches: options.watches ?? [],
    uses: (options.uses ?? []).map((entry) => ("resource" in entry ? entry : used(entry))),
    when: options.when,
    indexes: options.indexes ?? {},
    finalizer: finalize && (options.finalizer ?? `${resource.group || "kubewright.dev"}/${name}`),
    reconcile: options.reconcile.bind(options),
    finalize: finalize?.bind(options),
    onError: onError?.bind(options),
  };
  // From here on the object's type is erased; the controller hands over only objects of its own kind.
  return erased as unknown as ControllerDefinition;
}

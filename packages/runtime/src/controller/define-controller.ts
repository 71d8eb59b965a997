// What an author writes: which kind, what it owns, and one function from its present state to what should be.
import type { KubeObject, ObjectOf, ResourceDescriptor } from "@kubewright/api";
import type { ReconcileContext } from "./reconcile-context.js";

/** Any kind. */
export type AnyResource = ResourceDescriptor<KubeObject, never>;

/** When to look again; nothing means: when something changes. */
export interface ReconcileResult {
  /** Milliseconds. */
  readonly requeueAfter?: number | undefined;
}

export interface ControllerOptions<
  Resource,
  Owned extends readonly unknown[],
  Used extends readonly unknown[],
> {
  /** Unique in its manager; the kind in lower case unless told. */
  readonly name?: string | undefined;
  /** Kinds it creates. A change to one leads back to its owner. */
  readonly owns?: Owned | undefined;
  /** Further kinds it reads or writes. */
  readonly uses?: Used | undefined;
  /** Keys worked on at once; 1 unless told. */
  readonly concurrency?: number | undefined;
  /**
   * Brings the world in line with the object. Throwing means: again, later. It is called again after every relevant
   * change, so it must be safe to repeat.
   */
  reconcile(
    object: ObjectOf<Resource>,
    context: ReconcileContext<Resource, Owned[number] | Used[number]>,
  ): Promise<ReconcileResult | undefined | void> | ReconcileResult | undefined | void;
}

/** A controller, ready to be given to a manager. */
export interface ControllerDefinition {
  readonly name: string;
  readonly resource: AnyResource;
  readonly owns: readonly AnyResource[];
  readonly uses: readonly AnyResource[];
  readonly concurrency: number;
  readonly reconcile: (
    object: KubeObject,
    context: ReconcileContext<unknown, unknown>,
  ) => Promise<ReconcileResult | undefined | void> | ReconcileResult | undefined | void;
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
  const Resource,
  const Owned extends readonly unknown[] = readonly [],
  const Used extends readonly unknown[] = readonly [],
>(resource: Resource, options: ControllerOptions<Resource, Owned, Used>): ControllerDefinition {
  const descriptor = resource as AnyResource;
  return {
    name: options.name ?? descriptor.kind.toLowerCase(),
    resource: descriptor,
    owns: (options.owns ?? []) as readonly AnyResource[],
    uses: (options.uses ?? []) as readonly AnyResource[],
    concurrency: options.concurrency ?? 1,
    reconcile: options.reconcile as ControllerDefinition["reconcile"],
  };
}

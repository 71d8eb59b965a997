// The common case of a controller: a pure function from an object to the children it should have. Order, pruning and the
// status follow from it.
import type { KubeObject, ObjectOf } from "@kubewright/api";
import {
  type ControllerDefinition,
  type ControllerSettings,
  defineController,
} from "../define-controller.js";
import { typeInfoAt, typeInfoOf } from "../kind-schema.js";
import type { AnyResource, KindOf, Owned } from "../kinds.js";
import type { ReconcileContext, StatusInput } from "../reconcile-context.js";
import { healthOf } from "./health.js";
import { type Child, type Children, inOrder, type LiveChildren } from "./plan.js";
import { type ChildState, degradedBy, rollUp } from "./roll-up.js";

/** The children that an object should have, and the status that follows from them. */
export interface CompositionOptions<
  Resource extends AnyResource,
  Own extends readonly (AnyResource | Owned)[],
  Named extends Children<KindOf<Own[number]> & AnyResource>,
> extends ControllerSettings {
  /** The kinds children may have. */
  readonly owns: Own;
  /** The children the object should have. Must be pure; those it no longer names are deleted. */
  children(object: ObjectOf<Resource>): Named;
  /** The status besides the conditions Available, Progressing and Degraded. */
  status?(object: ObjectOf<Resource>, children: LiveChildren<Named>): StatusInput<Resource>;
}

/**
 * Declares a controller by the children its objects should have.
 *
 * @example
 * export const apps = defineComposition(App, {
 *   owns: [StatefulSet, Deployment],
 *   children: (app) => ({
 *     database: child(StatefulSet, databaseFor(app)),
 *     web: child(Deployment, webFor(app), { after: ["database"] }),
 *   }),
 *   status: (app, { web }) => ({ replicas: web?.status?.readyReplicas ?? 0 }),
 * });
 */
export function defineComposition<
  const Resource extends AnyResource,
  const Own extends readonly (AnyResource | Owned)[],
  Named extends Children<KindOf<Own[number]> & AnyResource>,
>(resource: Resource, options: CompositionOptions<Resource, Own, Named>): ControllerDefinition {
  const { owns, children, status, ...settings } = options;
  const composition: Composition = {
    owns,
    children: (object) => children.call(options, object as ObjectOf<Resource>),
    status: (object, live) =>
      status?.call(options, object as ObjectOf<Resource>, live as LiveChildren<Named>) as object | undefined,
  };
  return composed(resource, composition, settings);
}

/** A composition whose types are forgotten. */
interface Composition {
  readonly owns: readonly (AnyResource | Owned)[];
  children(object: KubeObject): Children;
  status(object: KubeObject, live: Readonly<Record<string, KubeObject>>): object | undefined;
}

type AnyContext = ReconcileContext<AnyResource, AnyResource, AnyResource>;

function composed(
  resource: AnyResource,
  composition: Composition,
  settings: ControllerSettings,
): ControllerDefinition {
  const hasConditions = once(() => typeInfoAt(typeInfoOf(resource), ["status", "conditions"]) !== undefined);
  return defineController(resource, {
    ...settings,
    owns: composition.owns,
    async reconcile(object, context) {
      const ctx: AnyContext = context;
      const { states, live } = await makeChildren(composition.children(object), ctx);
      await ctx.prune();
      const conditions = hasConditions() ? { conditions: rollUp(states) } : {};
      say(ctx, conditions);
      say(ctx, composition.status(object, live));
    },
    onError: (error) => (hasConditions() ? { conditions: [degradedBy(error)] } : undefined),
  });
}

async function makeChildren(children: Children, ctx: AnyContext) {
  const states = new Map<string, ChildState>();
  const live: Record<string, KubeObject> = {};
  for (const [name, wanted] of inOrder(children)) {
    const missing = (wanted.options.after ?? []).filter(
      (other) => states.get(other)?.state !== "ready" && children[other],
    );
    if (missing.length > 0) {
      ctx.keep(wanted.kind, wanted.object);
      states.set(name, { state: "waiting", message: `waits for ${missing.join(", ")}` });
      continue;
    }
    const made = await ctx.apply(wanted.kind, wanted.object);
    live[name] = made;
    states.set(name, stateOf(wanted, made));
  }
  return { states, live };
}

function stateOf({ options }: Child, object: KubeObject): ChildState {
  return options.health ? options.health(object) : healthOf(object);
}

function say(ctx: AnyContext, status: object | undefined): void {
  if (status) ctx.status({ ...status });
}

function once<T>(work: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => {
    result ??= { value: work() };
    return result.value;
  };
}

// The parts of a workload: one child of a kind each. A part that fails keeps no other from being kept, and a part that failed
// is distinguished from one that is not wanted.
import { isBeingDeleted, type KubeObject, type ObjectOf } from "@kubewright/api";
import { prunedEvent } from "../controller/child-events.js";
import type { AnyResource } from "../controller/kinds.js";
import type { ChildInput, ReconcileContext, WholeChild } from "../controller/reconcile-context.js";

/** The outcome of a part. */
export type PartOutcome<T = KubeObject> =
  /** It is not wanted, and there is none. */
  | { readonly state: "absent" }
  /** It is as declared. */
  | { readonly state: "applied"; readonly object: T }
  /** It could not be made as declared, or could not be deleted. The object is what there is of it. */
  | { readonly state: "failed"; readonly error: unknown; readonly object: T | undefined };

/** One child, and how it is kept. */
export interface Part<T = KubeObject> {
  /** Never rejects. */
  keep(): Promise<PartOutcome<T>>;
}

/** The part of the reconcile context that keeping a part of a kind needs. */
export type PartContext<Kind extends AnyResource> = Pick<
  ReconcileContext<AnyResource, Kind, Kind>,
  "apply" | "children" | "delete" | "event"
>;

/**
 * The child of an owned kind; undefined when there should be none, so that one that is there is deleted. An object of the same
 * name that never was the owner's is left alone, which is a failure of the part.
 *
 * @example
 * part(ctx, Ingress, app.spec.host ? ingressFor(app) : undefined)
 */
export function part<const Kind extends AnyResource, Whole>(
  context: PartContext<Kind>,
  kind: Kind,
  wanted: ChildInput<Kind> | WholeChild<Kind, Whole> | undefined,
  apply: (child: ChildInput<Kind>) => Promise<ObjectOf<Kind>> = (child) =>
    context.apply(kind, child, { adopt: "orphans" }),
): Part<ObjectOf<Kind>> {
  return {
    async keep() {
      try {
        // A whole object has the fields of a child; that it has a name is checked when it is applied.
        if (wanted) return { state: "applied", object: await apply(wanted as ChildInput<Kind>) };
        await deleteChildren(context, kind);
        return { state: "absent" };
      } catch (error) {
        return { state: "failed", error, object: context.children(kind)[0] };
      }
    },
  };
}

async function deleteChildren<Kind extends AnyResource>(
  context: PartContext<Kind>,
  kind: Kind,
): Promise<void> {
  for (const child of context.children(kind) as readonly (ObjectOf<Kind> & KubeObject)[]) {
    if (isBeingDeleted(child)) continue;
    await context.delete(kind, child);
    context.event(prunedEvent(kind, child));
  }
}

/** Parts by name, of which the objects are given. */
export type PartsOf<Objects> = { readonly [Name in keyof Objects]: Part<Objects[Name]> };

/** The outcome of each part. */
export type PartOutcomes<Objects> = { readonly [Name in keyof Objects]: PartOutcome<Objects[Name]> };

/** Keeps parts side by side, whatever becomes of each. */
export async function keepParts<Objects extends object>(
  parts: PartsOf<Objects>,
): Promise<PartOutcomes<Objects>> {
  const named = Object.entries<Part<unknown>>(parts);
  const outcomes = await Promise.all(named.map(async ([name, each]) => [name, await each.keep()] as const));
  return Object.fromEntries(outcomes) as PartOutcomes<Objects>;
}

/** The live object of a part. */
export function objectOf<T>(outcome: PartOutcome<T> | undefined): T | undefined {
  return outcome && outcome.state !== "absent" ? outcome.object : undefined;
}

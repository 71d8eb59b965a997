// The owner of a target: a controller scales the objects it owns itself, and a timetable that scaled them too would conflict
// with it. So the owner is scaled, or, if it cannot be, nothing is.
import {
  Deployment,
  getControllerOf,
  type KubeObject,
  parseApiVersion,
  ReplicaSet,
  StatefulSet,
  TerminalError,
} from "@kubewright/api";
import type { Context, Target } from "./context.js";

/** A kind the operator can read, and how many replicas its objects want. */
export type WorkloadObject = KubeObject & {
  readonly spec?: { readonly replicas?: number | undefined } | undefined;
};

/** The way a target is to be scaled. */
export interface ResolvedTarget {
  readonly target: Target;
  /** Of kinds the operator watches: the object as it is in the cache. */
  readonly object: WorkloadObject | undefined;
  /** Its owner is scaled in its place. */
  readonly isOwner: boolean;
}

const maxOwners = 3;

/** Finds the object to scale for a target: itself, or the controller that owns it. Undefined when it does not exist. */
export async function resolveTarget(ctx: Context, target: Target): Promise<ResolvedTarget | undefined> {
  let found: ResolvedTarget = { target, object: undefined, isOwner: false };
  for (let depth = 0; depth < maxOwners; depth++) {
    const read = readerOf(found.target);
    if (!read) return found;
    const object = await read(ctx, found.target.name);
    if (!object) return undefined;
    const owner = getControllerOf(object);
    if (!owner) return { ...found, object };
    await mustScale(ctx, found.target, owner);
    const { apiVersion, kind, name } = owner;
    found = { target: { apiVersion, kind, name }, object: undefined, isOwner: true };
  }
  return found;
}

/** Kinds of which a change leads to a reconcile. */
export function isWatched({ apiVersion, kind }: Target): boolean {
  const group = parseApiVersion(apiVersion)?.group;
  return (group === "apps" && (kind === "Deployment" || kind === "StatefulSet")) || group === "autoscaling";
}

async function mustScale(ctx: Context, target: Target, owner: Target): Promise<void> {
  try {
    await ctx.scale(owner);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    throw new TerminalError(
      `${target.kind} ${target.name} is controlled by ${owner.kind} ${owner.name}, which would undo any change of its size and cannot be scaled itself: ${error.message}`,
      { cause: error },
    );
  }
}

type Reader = (ctx: Context, name: string) => Promise<WorkloadObject | undefined>;

function readerOf({ apiVersion, kind }: Target): Reader | undefined {
  if (parseApiVersion(apiVersion)?.group !== "apps") return undefined;
  if (kind === "Deployment") return (ctx, name) => ctx.get(Deployment, name);
  if (kind === "StatefulSet") return (ctx, name) => ctx.get(StatefulSet, name);
  if (kind === "ReplicaSet") return (ctx, name) => ctx.get(ReplicaSet, name);
  return undefined;
}

// The change that brings a target to a level, computed by a pure function; and its execution.
import { HorizontalPodAutoscaler, TerminalError } from "@kubewright/api";
import type { Hpa } from "../api/v1/hpa.js";
import {
  areSame,
  type Bounds,
  boundsFor,
  boundsOf,
  movedBy,
  originalBounds,
  windowAnnotation,
  withBounds,
} from "./autoscaler-window.js";
import { type Context, nameOf } from "./context.js";
import { type Level, sizeFor } from "./level.js";
import type { Observed } from "./observed-target.js";
import { isWatched } from "./target-owner.js";

/** The change that brings a target to a level. */
export interface Change {
  readonly from: number;
  readonly to: number;
  /** Set where the number of replicas is to be set. */
  readonly replicas: number | undefined;
  /** Set where an autoscaler's bounds are to be moved. */
  readonly bounds: Bounds | undefined;
  /** Details for people, such as the autoscaler that is involved. */
  readonly message: string | undefined;
  /** It was made before, and the operator crashed before it could report it. */
  readonly isMade?: boolean | undefined;
}

export const isNeeded = ({ replicas, bounds }: Change): boolean =>
  replicas !== undefined || bounds !== undefined;

/** Whether a run changes its target. */
export const changesTarget = (change: Change): boolean => isNeeded(change) || change.isMade === true;

/**
 * A size that is right already, and not the one that was reported last, was set by this run before a crash. Changes by others are reported as
 * they come, where the target is watched.
 */
export function orMadeBefore({ status }: Hpa, { scaled, autoscaler }: Observed, change: Change): Change {
  const from = status?.currentSize;
  if (isNeeded(change) || from === undefined || from === change.to) return change;
  return scaled && isWatched(scaled) && !autoscaler ? { ...change, from, isMade: true } : change;
}

/** Computes the change. No level leaves the size alone, and gives an autoscaler its own bounds. */
export function changeFor({ scaled, size, autoscaler, note }: Observed, level: Level): Change {
  if (!autoscaler) {
    const to = sizeFor(level, size);
    return { from: size, to, replicas: to === size ? undefined : to, bounds: undefined, message: note };
  }
  const isNone = level.size === 0 && level.min === undefined;
  if (isNone && !scaled)
    throw new TerminalError("an autoscaler keeps at least one replica; to have none, target what it scales");
  const set = boundsFor(autoscaler, isNone ? undefined : level);
  const present = boundsOf(autoscaler);
  const to = isNone ? 0 : set.min;
  // An autoscaler does nothing while its target has no replicas, so that is set directly.
  const isDirect = scaled !== undefined && isNone !== (size === 0);
  return {
    from: scaled ? size : present.min,
    to,
    replicas: isDirect ? to : undefined,
    bounds: areSame(set, present) ? undefined : set,
    message: boundsText(autoscaler, set, note),
  };
}

/** Makes a change. Returns false when the target is gone. */
export async function make(
  ctx: Context,
  hpa: Hpa,
  { scaled, autoscaler }: Observed,
  change: Change,
): Promise<boolean> {
  const set =
    change.bounds ?? (autoscaler && movedBy(autoscaler) !== undefined ? boundsOf(autoscaler) : undefined);
  if (autoscaler && set) await setBounds(ctx, autoscaler, nameOf(hpa), set);
  if (!scaled || change.replicas === undefined) return true;
  return (await ctx.scale(scaled, change.replicas)) !== undefined;
}

/**
 * Sets the bounds of an autoscaler. Where they are its own again, the managed fields are given up too: a server-side apply
 * of the autoscaler would conflict with them for ever. The annotation goes with them, in the same write.
 */
export async function setBounds(
  ctx: Pick<Context, "apply" | "disown">,
  autoscaler: HorizontalPodAutoscaler,
  by: string,
  set: Bounds,
): Promise<void> {
  const isOwn = areSame(set, originalBounds(autoscaler));
  if (isOwn && movedBy(autoscaler) === undefined) return;
  if (!isOwn || !areSame(set, boundsOf(autoscaler)))
    await ctx.apply(HorizontalPodAutoscaler, withBounds(autoscaler, by, set));
  if (!isOwn) return;
  const { name = "", namespace } = autoscaler.metadata ?? {};
  await ctx.disown(HorizontalPodAutoscaler, name, { namespace, annotations: [windowAnnotation] });
}

function boundsText(autoscaler: HorizontalPodAutoscaler, set: Bounds, note: string | undefined): string {
  const { min, max } = originalBounds(autoscaler);
  const own = areSame(set, { min, max }) ? "its own bounds" : `its own are ${min} to ${max}`;
  const text = `autoscaler ${autoscaler.metadata?.name} decides from ${set.min} to ${set.max} (${own})`;
  return note === undefined ? text : `${note}; ${text}`;
}

// The observed target: its kind, its desired replicas, and the autoscaler that governs it.
import { HorizontalPodAutoscaler, isForbidden, isInvalid, TerminalError } from "@kubewright/api";
import { autoscalerIndex } from "@kubewright/runtime/workload";
import type { Hpa } from "../api/v1/hpa.js";
import { boundsOf } from "./autoscaler-window.js";
import { type Context, described, isAutoscaler, type Target, targetKey } from "./context.js";
import { resolveTarget } from "./target-owner.js";

/** A target that is there. */
export interface Observed {
  /** The object that is scaled: the target, or its owner; undefined when the target is an autoscaler. */
  readonly scaled: Target | undefined;
  /** The desired replicas now. */
  readonly size: number;
  readonly autoscaler: HorizontalPodAutoscaler | undefined;
  /** The owner that is scaled in place of the target. */
  readonly note: string | undefined;
}

/** Why a target cannot be scaled as things are. */
export interface TargetProblem {
  readonly reason: "TargetNotFound" | "NotScalable" | "Refused";
  readonly message: string;
}

/** Looks at the target. With `live` the server is asked also where a cache knows. */
export function observe(ctx: Context, hpa: Hpa, live: boolean): Promise<Observed | TargetProblem> {
  const { scaleTarget } = hpa.spec;
  return orProblem(async (): Promise<Observed | TargetProblem> => {
    const found = isAutoscaler(scaleTarget)
      ? await observeAutoscaler(ctx, hpa)
      : await observeScale(ctx, hpa, live);
    return found ?? { reason: "TargetNotFound", message: `there is no ${described(scaleTarget)}` };
  });
}

/** The result of an attempt; a target that cannot be scaled at present is no error. */
export async function orProblem<T>(work: () => Promise<T>): Promise<T | TargetProblem> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TerminalError) return { reason: "NotScalable", message: error.message };
    if (isForbidden(error) || isInvalid(error)) return { reason: "Refused", message: error.message };
    throw error;
  }
}

async function observeAutoscaler(ctx: Context, hpa: Hpa): Promise<Observed | undefined> {
  const autoscaler = await ctx.get(HorizontalPodAutoscaler, hpa.spec.scaleTarget.name);
  if (!autoscaler) return undefined;
  const size = autoscaler.status?.currentReplicas ?? boundsOf(autoscaler).min;
  return { scaled: undefined, size, autoscaler, note: undefined };
}

async function observeScale(ctx: Context, hpa: Hpa, live: boolean): Promise<Observed | undefined> {
  const { scaleTarget } = hpa.spec;
  const { namespace } = hpa.metadata;
  const resolved = await resolveTarget(ctx, scaleTarget);
  if (!resolved) return undefined;
  const { target, object, isOwner } = resolved;
  const cached = live ? undefined : object?.spec?.replicas;
  const size = cached ?? (await ctx.scale(target))?.spec?.replicas;
  if (size === undefined && !object && !(await ctx.scale(target))) return undefined;
  const note = isOwner ? `${described(target)}, which owns ${described(scaleTarget)}` : undefined;
  const [autoscaler] = [target, scaleTarget].flatMap((each) => governing(ctx, each, namespace));
  return { scaled: target, size: size ?? 0, autoscaler, note };
}

/** The autoscalers that scale something. */
export function governing(
  ctx: Context,
  target: Target,
  namespace: string | undefined,
): readonly HorizontalPodAutoscaler[] {
  return ctx.byIndex(HorizontalPodAutoscaler, autoscalerIndex, targetKey(target, namespace));
}

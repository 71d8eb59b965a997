// Bringing a target to a size: through its scale subresource, or through the bounds of the autoscaler that governs it.
import {
  HorizontalPodAutoscaler,
  isForbidden,
  isInvalid,
  parseApiVersion,
  TerminalError,
} from "@kubewright/api";
import type { ReconcileContext } from "@kubewright/runtime";
import { autoscaledBy, autoscalerIndex } from "@kubewright/runtime/workload";
import type { Hpa } from "../api/v1/hpa.js";
import { boundsOf, movedBy, originalBounds, windowFor } from "./autoscaler-window.js";

/** What the controller may touch. */
export type Context = ReconcileContext<
  typeof Hpa,
  typeof Hpa | typeof HorizontalPodAutoscaler,
  typeof HorizontalPodAutoscaler
>;

/** Names the index of autoscalers by the timetable that moved them. */
export const movedIndex = "moved-by";

/** A size that was reached, or is there. */
export interface Sized {
  readonly from: number;
  readonly to: number;
  /** How, where that is not plain. */
  readonly message?: string | undefined;
}

/** Why a target cannot be scaled as things are. */
export interface TargetProblem {
  readonly reason: "TargetNotFound" | "NotScalable" | "Refused";
  readonly message: string;
}

/** The target's size as it is; without `size` nothing is changed. */
export async function sizeOf(ctx: Context, hpa: Hpa, size?: number): Promise<Sized | TargetProblem> {
  const { kind, name } = hpa.spec.scaleTarget;
  try {
    const sized = isAutoscaler(hpa) ? await bound(ctx, hpa, size) : await scaled(ctx, hpa, size);
    return sized ?? { reason: "TargetNotFound", message: `there is no ${kind} ${name}` };
  } catch (error) {
    if (error instanceof TerminalError) return { reason: "NotScalable", message: error.message };
    if (isForbidden(error) || isInvalid(error)) return { reason: "Refused", message: error.message };
    throw error;
  }
}

/** Gives autoscalers their own bounds back, but for those of the present target of a timetable that is not at rest. */
export async function giveBack(ctx: Context, hpa: Hpa): Promise<void> {
  const moved = ctx.byIndex(HorizontalPodAutoscaler, movedIndex, keyOf(hpa));
  if (moved.length === 0) return;
  const kept = new Set(hpa.spec.suspend ? [] : governing(ctx, hpa).map(({ metadata }) => metadata?.name));
  for (const autoscaler of moved) {
    if (kept.has(autoscaler.metadata?.name)) continue;
    const { metadata, spec } = windowFor(autoscaler, nameOf(hpa), undefined);
    await ctx.apply(HorizontalPodAutoscaler, { metadata, spec });
    const note = `autoscaler ${metadata.name} has its own bounds back: ${spec.minReplicas} to ${spec.maxReplicas}`;
    ctx.event({ reason: "WindowClosed", action: "Restore", note });
  }
}

/** The value of that index for an autoscaler. */
export function moverOf(autoscaler: HorizontalPodAutoscaler): readonly string[] {
  const by = movedBy(autoscaler);
  return by === undefined ? [] : [`${autoscaler.metadata?.namespace}/${by}`];
}

const nameOf = ({ metadata }: Hpa): string => metadata.name ?? "";
const keyOf = ({ metadata }: Hpa): string => `${metadata.namespace}/${metadata.name}`;

function isAutoscaler({ spec: { scaleTarget } }: Hpa): boolean {
  const group = parseApiVersion(scaleTarget.apiVersion)?.group;
  return scaleTarget.kind === "HorizontalPodAutoscaler" && group === "autoscaling";
}

/** The autoscalers that are the target, or scale it. */
function governing(ctx: Context, hpa: Hpa): readonly HorizontalPodAutoscaler[] {
  const { apiVersion, kind, name } = hpa.spec.scaleTarget;
  const { namespace } = hpa.metadata;
  if (isAutoscaler(hpa))
    return ctx
      .byIndex(HorizontalPodAutoscaler, movedIndex, keyOf(hpa))
      .filter(({ metadata }) => metadata?.name === name);
  const group = parseApiVersion(apiVersion)?.group ?? "";
  return ctx.byIndex(
    HorizontalPodAutoscaler,
    autoscalerIndex,
    autoscaledBy({ kind: { kind, group }, name, namespace }),
  );
}

/** The target is an autoscaler: its lower bound is its size. */
async function bound(ctx: Context, hpa: Hpa, size: number | undefined): Promise<Sized | undefined> {
  const autoscaler = await ctx.get(HorizontalPodAutoscaler, hpa.spec.scaleTarget.name);
  if (!autoscaler) return undefined;
  const { min } = boundsOf(autoscaler);
  if (size === undefined) return { from: min, to: min };
  if (size === 0)
    throw new TerminalError("an autoscaler keeps at least one replica; to have none, target what it scales");
  return { from: min, ...(await moveBounds(ctx, hpa, autoscaler, size)) };
}

async function scaled(ctx: Context, hpa: Hpa, size: number | undefined): Promise<Sized | undefined> {
  const { scaleTarget } = hpa.spec;
  const scale = await ctx.scale(scaleTarget);
  const from = scale?.spec?.replicas ?? 0;
  if (!scale || size === undefined) return scale && { from, to: from };
  const [autoscaler] = governing(ctx, hpa);
  if (autoscaler) return withAutoscaler(ctx, hpa, autoscaler, { from, size });
  if (from !== size && !(await ctx.scale(scaleTarget, size))) return undefined;
  return { from, to: size };
}

/** An autoscaler decides inside its bounds; it sleeps while its target has no replicas, so that is set directly. */
async function withAutoscaler(
  ctx: Context,
  hpa: Hpa,
  autoscaler: HorizontalPodAutoscaler,
  { from, size }: { readonly from: number; readonly size: number },
): Promise<Sized | undefined> {
  const moved = await moveBounds(ctx, hpa, autoscaler, size === 0 ? undefined : size);
  const isDirect = (size === 0) !== (from === 0);
  if (isDirect && !(await ctx.scale(hpa.spec.scaleTarget, size))) return undefined;
  return { from, to: size, message: moved.message };
}

async function moveBounds(
  ctx: Context,
  hpa: Hpa,
  autoscaler: HorizontalPodAutoscaler,
  size: number | undefined,
): Promise<{ readonly to: number; readonly message: string }> {
  const wanted = windowFor(autoscaler, nameOf(hpa), size);
  await ctx.apply(HorizontalPodAutoscaler, wanted);
  const { minReplicas, maxReplicas } = wanted.spec;
  const { min, max } = originalBounds(autoscaler);
  const own = min === minReplicas && max === maxReplicas ? "its own bounds" : `its own are ${min} to ${max}`;
  return {
    to: minReplicas,
    message: `autoscaler ${wanted.metadata.name} decides from ${minReplicas} to ${maxReplicas} (${own})`,
  };
}

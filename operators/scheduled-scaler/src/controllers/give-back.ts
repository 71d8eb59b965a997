// Restores the bounds of autoscalers that a timetable no longer moves.
import { HorizontalPodAutoscaler } from "@kubewright/api";
import type { Hpa } from "../api/v1/hpa.js";
import { movedBy, originalBounds } from "./autoscaler-window.js";
import { setBounds } from "./change.js";
import { type Context, isAutoscaler, keyOf, movedIndex, nameOf } from "./context.js";
import { governing } from "./observed-target.js";
import { resolveTarget } from "./target-owner.js";

/** Gives autoscalers their own bounds back, but for those of the present target of a timetable that is not suspended. */
export async function giveBack(ctx: Context, hpa: Hpa): Promise<void> {
  const moved = ctx.byIndex(HorizontalPodAutoscaler, movedIndex, keyOf(hpa));
  if (moved.length === 0) return;
  const kept = new Set(hpa.spec.suspend ? [] : await present(ctx, hpa));
  for (const autoscaler of moved) {
    const { name = "" } = autoscaler.metadata ?? {};
    if (kept.has(name)) continue;
    const own = originalBounds(autoscaler);
    await setBounds(ctx, autoscaler, nameOf(hpa), own);
    const note = `autoscaler ${name} has its own bounds back: ${own.min} to ${own.max}`;
    ctx.event({ reason: "WindowClosed", action: "Restore", note });
  }
}

/** The value of the index of moved autoscalers. */
export function moverOf(autoscaler: HorizontalPodAutoscaler): readonly string[] {
  const by = movedBy(autoscaler);
  return by === undefined ? [] : [`${autoscaler.metadata?.namespace}/${by}`];
}

/** The names of the autoscalers that are the target, or scale it. */
async function present(ctx: Context, { spec, metadata }: Hpa): Promise<readonly string[]> {
  const { scaleTarget } = spec;
  if (isAutoscaler(scaleTarget)) return [scaleTarget.name];
  const owner = await resolveTarget(ctx, scaleTarget).catch(() => undefined);
  return [scaleTarget, ...(owner ? [owner.target] : [])]
    .flatMap((target) => governing(ctx, target, metadata.namespace))
    .map((autoscaler) => autoscaler.metadata?.name ?? "");
}

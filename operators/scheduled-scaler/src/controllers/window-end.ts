// The size after a window: the size of the schedules, or, where there are none, the size from before. An autoscaler keeps its own
// bounds in an annotation; the size of a target that has none is put on record before the window changes it.
import type { Hpa } from "../api/v1/hpa.js";
import { boundsOf, originalBounds } from "./autoscaler-window.js";
import type { Change } from "./change.js";
import { pointAt } from "./in-force.js";
import type { Observed } from "./observed-target.js";
import type { Plan } from "./plan.js";

/** True when the size from before a window has to be written down before the window begins. */
export function mustRemember(
  { status }: Hpa,
  { inForce, jobs, at }: Plan,
  { autoscaler }: Observed,
): boolean {
  if (!inForce?.isWindow || autoscaler || status?.sizeBefore !== undefined) return false;
  return pointAt(jobs, at) === undefined;
}

/** Back to what was there before the window. */
export function changeBack({ status }: Hpa, { size, autoscaler, note }: Observed): Change {
  if (autoscaler) {
    const bounds = originalBounds(autoscaler);
    return { from: boundsOf(autoscaler).min, to: bounds.min, replicas: undefined, bounds, message: note };
  }
  const to = status?.sizeBefore ?? size;
  return { from: size, to, replicas: to === size ? undefined : to, bounds: undefined, message: note };
}

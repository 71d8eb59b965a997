// The events about runs. No message has a time in it, so that repeated events become one with a count.
import type { Hpa, Job } from "../api/v1/hpa.js";
import { type Change, changesTarget } from "./change.js";
import { type Context, described } from "./context.js";
import type { InForce } from "./in-force.js";
import type { TargetProblem } from "./observed-target.js";
import { shown } from "./plan.js";

/** The job a run is about. */
export const jobOf = ({ job, ended }: InForce): Job | undefined => ended ?? job;

/** `job morning`, or `window lunch ended`. */
function occasion(run: InForce): string {
  return run.ended ? `window ${run.ended.name} ended` : `job ${run.job?.name}`;
}

/** A run that changes nothing records no event: it is in the history. */
export function recordScaled(ctx: Context, { spec }: Hpa, run: InForce, change: Change): void {
  if (!changesTarget(change)) return;
  const note = `${described(spec.scaleTarget)} from ${change.from} to ${change.to} (${occasion(run)})${how(change)}`;
  ctx.event({ reason: "Scaled", action: "Scale", note });
}

export function recordRestored(ctx: Context, { spec }: Hpa, run: InForce, change: Change): void {
  const what = change.replicas === undefined ? "had other bounds" : `was at ${change.from}`;
  const note = `${described(spec.scaleTarget)} ${what}, which is not what ${occasion(run)} asks for: back to ${change.to}${how(change)}`;
  ctx.event({ reason: "Restored", action: "Scale", note });
}

export function recordMissed(ctx: Context, run: InForce, message: string): void {
  ctx.event({ type: "Warning", reason: "RunMissed", action: "Scale", note: `${occasion(run)}: ${message}` });
}

/** Records an event once for each run, however often the target is looked for. */
export function recordWaiting(ctx: Context, { status }: Hpa, run: InForce, problem: TargetProblem): void {
  const known = status?.jobs?.find(({ name }) => name === jobOf(run)?.name);
  if (known?.message === waitingText(run, problem)) return;
  ctx.event({
    type: "Warning",
    reason: problem.reason,
    action: "Scale",
    note: `${occasion(run)} waits: ${problem.message}`,
  });
}

/** Records an event once, when the problem begins. */
export function recordProblem(ctx: Context, { status }: Hpa, { reason, message }: TargetProblem): void {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (!ready || (ready.reason === reason && ready.message === message)) return;
  ctx.event({ type: "Warning", reason, action: "Scale", note: message });
}

/** The status of a job whose run waits. */
export function waitingText({ time }: InForce, { message }: TargetProblem): string {
  return `the run due at ${shown(time)} waits: ${message}`;
}

const how = ({ message }: Change): string => (message === undefined ? "" : `; ${message}`);

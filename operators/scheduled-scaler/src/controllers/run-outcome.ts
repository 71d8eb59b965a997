// Carrying out what is due, or finding out that it cannot be.
import type { Hpa, Job } from "../api/v1/hpa.js";
import { type Plan, type Run, shown } from "./plan.js";
import { type Context, type Sized, sizeOf, type TargetProblem } from "./scale-target.js";

/** What became of a reconcile. */
export type Outcome =
  | ({ readonly kind: "done"; readonly run: Run } & Sized)
  /** Too late; it will not be carried out. */
  | { readonly kind: "missed"; readonly run: Run; readonly message: string }
  /** Due, and to be tried again. */
  | ({ readonly kind: "waiting"; readonly run: Run } & TargetProblem)
  /** Nothing is due. `size` where it was looked at. */
  | {
      readonly kind: "idle";
      readonly size?: number | undefined;
      readonly problem?: TargetProblem | undefined;
    };

/** Carries out what a plan has due. */
export async function carryOut(ctx: Context, hpa: Hpa, plan: Plan, now: number): Promise<Outcome> {
  const run = plan.due;
  if (!run) return look(ctx, hpa);
  const { startingDeadlineSeconds: deadline } = hpa.spec;
  const late = now - run.time;
  if (deadline !== undefined && late > deadline * 1_000) {
    const message = `it was due at ${shown(run.time)} and may start no later than ${deadline} s after that`;
    ctx.event({
      type: "Warning",
      reason: "RunMissed",
      action: "Scale",
      note: `job ${run.job.name}: ${message}`,
    });
    return { kind: "missed", run, message };
  }
  const found = await sizeOf(ctx, hpa, guarded(run.job, hpa));
  if ("reason" in found) return tellWaiting(ctx, hpa, run, found);
  tellScaled(ctx, hpa, run, found);
  return { kind: "done", run, ...found };
}

/** The size of a job within the bounds of the timetable. */
export function guarded({ size }: Job, { spec: { minSize = 0, maxSize = size } }: Hpa): number {
  return Math.max(minSize, Math.min(maxSize, size));
}

/** Looks at the target where that is cheap enough: when the spec is new, and while something is wrong with the target. */
async function look(ctx: Context, hpa: Hpa): Promise<Outcome> {
  const isNew = hpa.status?.observedGeneration !== hpa.metadata.generation;
  if (!isNew && !readyReason(hpa, "TargetNotFound", "NotScalable", "Refused")) return { kind: "idle" };
  const found = await sizeOf(ctx, hpa);
  return "reason" in found ? { kind: "idle", problem: found } : { kind: "idle", size: found.to };
}

/** Whether the condition Ready has one of these reasons. */
export function readyReason({ status }: Hpa, ...reasons: readonly string[]): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready !== undefined && reasons.includes(ready.reason);
}

function tellWaiting(ctx: Context, hpa: Hpa, run: Run, problem: TargetProblem): Outcome {
  const known = hpa.status?.jobs?.find(({ name }) => name === run.job.name);
  // Once for each run, however often the target is looked for.
  if (known?.message !== waitingText(run, problem)) {
    const note = `job ${run.job.name}, due at ${shown(run.time)}, waits: ${problem.message}`;
    ctx.event({ type: "Warning", reason: problem.reason, action: "Scale", note });
  }
  return { kind: "waiting", run, ...problem };
}

/** What status says of a job whose run waits. */
export function waitingText({ time }: Run, { message }: TargetProblem): string {
  return `the run due at ${shown(time)} waits: ${message}`;
}

/** What changes nothing is no news: it is in the history. */
function tellScaled(ctx: Context, hpa: Hpa, { job, time }: Run, { from, to, message }: Sized): void {
  if (from === to) return;
  const { kind, name } = hpa.spec.scaleTarget;
  const how = message === undefined ? "" : `; ${message}`;
  const note = `${kind} ${name} from ${from} to ${to} (job ${job.name}, due at ${shown(time)})${how}`;
  ctx.event({ reason: "Scaled", action: "Scale", note });
}

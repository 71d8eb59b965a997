// Carries out the run that is due, or keeps up the one in force, or reports why that is not possible.
import type { Hpa } from "../api/v1/hpa.js";
import { type Change, changeFor, isNeeded, make, orMadeBefore } from "./change.js";
import { type Context, described } from "./context.js";
import type { InForce } from "./in-force.js";
import { levelOf } from "./level.js";
import { type Observed, observe, orProblem, type TargetProblem } from "./observed-target.js";
import { deadlineOf, type Plan } from "./plan.js";
import { nextRestore } from "./restore-pace.js";
import { recordMissed, recordProblem, recordRestored, recordScaled, recordWaiting } from "./run-events.js";
import { changeBack, mustRemember } from "./window-end.js";

/** The outcome of a reconcile. `size` is the desired size of the target now. */
export type Outcome =
  | { readonly kind: "done"; readonly run: InForce; readonly change: Change; readonly size: number }
  /** Too late; it will not be carried out. */
  | {
      readonly kind: "missed";
      readonly run: InForce;
      readonly message: string;
      readonly size?: number | undefined;
    }
  /** Due, and to be tried again. */
  | ({ readonly kind: "waiting"; readonly run: InForce } & TargetProblem)
  /** A window is due, and the size before it has to be on record first. */
  | { readonly kind: "remembered"; readonly size: number }
  /** Others had changed what is in force; it was put back. */
  | { readonly kind: "restored"; readonly size: number }
  /** Others have changed what is in force; it is put back later. */
  | { readonly kind: "held"; readonly until: number; readonly size: number; readonly wanted: number }
  /** Nothing is to be done. */
  | {
      readonly kind: "idle";
      readonly size?: number | undefined;
      readonly problem?: TargetProblem | undefined;
    };

/** Carries out what a plan has due, or keeps up what is in force. `mayRestore`: no other timetable scales the target. */
export async function carryOut(
  ctx: Context,
  hpa: Hpa,
  plan: Plan,
  { now, mayRestore }: { readonly now: number; readonly mayRestore: boolean },
): Promise<Outcome> {
  const { inForce, isDue, isMissed } = plan;
  if (isMissed && inForce) {
    const message = `it could not be carried out within ${deadlineOf(hpa) / 1_000} s of when it was due`;
    recordMissed(ctx, inForce, message);
    return { kind: "missed", run: inForce, message };
  }
  const isKept = !isDue && mayRestore && (hpa.spec.enforce ?? "Always") === "Always";
  const observed = await observe(ctx, hpa, false);
  if ("reason" in observed) return cannot(ctx, hpa, isDue ? inForce : undefined, observed);
  if (inForce && isDue) return carryOutRun(ctx, hpa, plan, inForce, observed);
  if (inForce?.job && isKept) return keepUp(ctx, hpa, inForce, observed, now);
  return { kind: "idle", size: observed.size };
}

async function carryOutRun(
  ctx: Context,
  hpa: Hpa,
  plan: Plan,
  run: InForce,
  observed: Observed,
): Promise<Outcome> {
  if (mustRemember(hpa, plan, observed)) return { kind: "remembered", size: observed.size };
  const change = await orProblem(async () => wanted(hpa, run, observed));
  if ("reason" in change) return cannot(ctx, hpa, run, change);
  const made = await orProblem(() => make(ctx, hpa, observed, change));
  if (typeof made !== "boolean") return cannot(ctx, hpa, run, made);
  if (!made) return cannot(ctx, hpa, run, gone(hpa));
  const report = orMadeBefore(hpa, observed, change);
  recordScaled(ctx, hpa, run, report);
  return { kind: "done", run, change: report, size: change.replicas ?? observed.size };
}

/** The cache may be older than our own last write, so the server is asked before a size is restored. */
async function keepUp(ctx: Context, hpa: Hpa, run: InForce, cached: Observed, now: number): Promise<Outcome> {
  const before = await orProblem(async () => wanted(hpa, run, cached));
  if ("reason" in before) return { kind: "idle", size: cached.size, problem: before };
  if (!isNeeded(before)) return { kind: "idle", size: cached.size };
  const observed = await observe(ctx, hpa, true);
  if ("reason" in observed) return cannot(ctx, hpa, undefined, observed);
  const change = wanted(hpa, run, observed);
  if (!isNeeded(change)) return { kind: "idle", size: observed.size };
  const until = nextRestore(hpa, now);
  if (until > now) return { kind: "held", until, size: observed.size, wanted: change.to };
  const made = await orProblem(() => make(ctx, hpa, observed, change));
  if (typeof made !== "boolean") return cannot(ctx, hpa, undefined, made);
  if (!made) return cannot(ctx, hpa, undefined, gone(hpa));
  recordRestored(ctx, hpa, run, change);
  return { kind: "restored", size: change.replicas ?? observed.size };
}

function wanted(hpa: Hpa, { job }: InForce, observed: Observed): Change {
  return job ? changeFor(observed, levelOf(job, hpa)) : changeBack(hpa, observed);
}

function cannot(ctx: Context, hpa: Hpa, run: InForce | undefined, problem: TargetProblem): Outcome {
  if (run) {
    recordWaiting(ctx, hpa, run, problem);
    return { kind: "waiting", run, ...problem };
  }
  recordProblem(ctx, hpa, problem);
  return { kind: "idle", problem };
}

const gone = ({ spec }: Hpa): TargetProblem => ({
  reason: "TargetNotFound",
  message: `there is no ${described(spec.scaleTarget)}`,
});

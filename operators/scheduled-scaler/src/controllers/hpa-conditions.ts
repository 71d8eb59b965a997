// The conditions of a timetable.
import type { ConditionUpdate } from "@kubewright/api";
import type { Hpa } from "../api/v1/hpa.js";
import type { Plan, PlannedJob } from "./plan.js";
import { isConflicting } from "./restore-pace.js";
import type { Outcome } from "./run-outcome.js";
import type { Run } from "./upcoming.js";

/** The observations of a reconcile besides its outcome. */
export interface Circumstances {
  readonly now: number;
  /** Other timetables of the same target. */
  readonly sharedWith: readonly string[];
}

export function conditionsOf(
  hpa: Hpa,
  plan: Plan,
  outcome: Outcome,
  next: Run | undefined,
  circumstances: Circumstances,
): readonly ConditionUpdate[] {
  const conflict = conflictOf(hpa, outcome, circumstances);
  const hadOne = hpa.status?.conditions?.some(({ type }) => type === "Conflicting") === true;
  const none = {
    type: "Conflicting",
    status: "False",
    reason: "None",
    message: "no other controller sets the size",
  } as const;
  return [readiness(hpa, plan, outcome, next), ...(conflict ? [conflict] : hadOne ? [none] : [])];
}

function conflictOf(
  hpa: Hpa,
  outcome: Outcome,
  { now, sharedWith }: Circumstances,
): ConditionUpdate | undefined {
  const conflict = { type: "Conflicting", status: "True" } as const;
  const [other] = sharedWith;
  if (other !== undefined && !hpa.spec.suspend)
    return {
      ...conflict,
      reason: "SharedTarget",
      message: `also scaled by ${sharedWith.join(", ")}: each carries out its runs, and none keeps its size up between them`,
    };
  if (outcome.kind !== "held" && !isConflicting(hpa, now)) return undefined;
  return {
    ...conflict,
    reason: "ChangedByOthers",
    message: "another client keeps changing the size; it is restored at growing intervals",
  };
}

function readiness(hpa: Hpa, plan: Plan, outcome: Outcome, next: Run | undefined): ConditionUpdate {
  const problem =
    outcome.kind === "waiting" ? outcome : outcome.kind === "idle" ? outcome.problem : undefined;
  if (problem) return { type: "Ready", status: "False", reason: problem.reason, message: problem.message };
  const invalid = [
    ...plan.jobs.flatMap(({ job, problems }) =>
      problems.length === 0 ? [] : [`job ${job.name}: ${problemText(problems)}`],
    ),
    ...plan.rest.problems.map(({ field, message }) => `${field}: ${message}`),
  ];
  if (invalid.length > 0)
    return { type: "Ready", status: "False", reason: "Invalid", message: invalid.join("; ").slice(0, 1_000) };
  return { type: "Ready", status: "True", ...outlook(hpa, next) };
}

function outlook({ spec }: Hpa, next: Run | undefined): Pick<ConditionUpdate, "reason" | "message"> {
  if (spec.suspend) return { reason: "Suspended", message: "nothing runs while spec.suspend is true" };
  if (next) return { reason: "Scheduled", message: "the next runs are in status.upcoming" };
  return { reason: "Finished", message: "no job has a run to come" };
}

export function problemText(problems: PlannedJob["problems"]): string {
  return problems.map(({ message }) => message).join("; ");
}

// The conditions of a CronTab: Ready, whether runs can be started, and Degraded, whether the latest did what they should.
import type { ConditionUpdate } from "@kubewright/api";
import type { CronTab } from "../api/v1/cron-tab.js";
import type { RunEnds } from "./run-ends.js";
import { failureOf } from "./runs.js";
import type { Start } from "./start-run.js";

/** The observations of a reconcile. */
export interface Findings {
  readonly start: Start | undefined;
  /** Runs that were missed just now. */
  readonly missed: number;
  readonly ends: RunEnds;
  readonly next: number | undefined;
}

export function conditionsOf(cronTab: CronTab, findings: Findings): readonly ConditionUpdate[] {
  const { start } = findings;
  const ready =
    start?.kind === "refused"
      ? isReady("False", "StartFailed", `a run cannot be started: ${start.message}`)
      : isReady("True", ...outlook(cronTab, findings.next));
  const degraded = degradation(cronTab, findings);
  return degraded ? [ready, degraded] : [ready];
}

export function isReady(status: "True" | "False", reason: string, message: string): ConditionUpdate {
  return { type: "Ready", status, reason, message };
}

function outlook({ spec }: CronTab, next: number | undefined): [reason: string, message: string] {
  if (spec.suspend) return ["Suspended", "nothing is started while spec.suspend is true"];
  return next === undefined
    ? ["Finished", "no run is to come"]
    : ["Scheduled", "the next run is in status.nextRun"];
}

function degradation({ status }: CronTab, { start, missed, ends }: Findings): ConditionUpdate | undefined {
  const degraded = (reason: string, message: string): ConditionUpdate => ({
    type: "Degraded",
    status: "True",
    reason,
    message,
  });
  const before = status?.conditions?.find(({ type }) => type === "Degraded");
  if (start?.kind === "refused") return degraded("StartFailed", start.message);
  if (start?.kind === "skipped") return degraded("RunSkipped", `the last run was skipped: ${start.message}`);
  if (start?.kind === "queued") return degraded("RunsQueued", `runs wait: ${start.message}`);
  if (missed > 0)
    return degraded("RunMissed", "runs were due and could not be started in time; status.missed counts them");
  if (ends.lastFailure)
    return degraded("RunFailed", `${ends.lastFailure.metadata?.name} failed: ${failureOf(ends.lastFailure)}`);
  const hasSucceeded = ends.lastSuccessfulTime !== status?.lastSuccessfulTime;
  const isOver = hasSucceeded || (before?.reason !== "RunFailed" && start?.kind === "started");
  // The condition about the last run holds until the next: without an update it stays as it is.
  if (before?.status !== "True" || !isOver) return undefined;
  return {
    type: "Degraded",
    status: "False",
    reason: "AsExpected",
    message: "the last run did what it should",
  };
}

import { Job } from "@kubewright/api";
import {
  annotationsChanged,
  anyOf,
  defineController,
  generationChanged,
  owned,
  type ReconcileResult,
} from "@kubewright/runtime";
import { clockJumps, type Schedule, ScheduleError, Schedules } from "@kubewright/runtime/schedule";
import { CronTab } from "../api/v1/cron-tab.js";
import { conditionsOf, isReady } from "./cron-tab-conditions.js";
import { type Due, dueOf } from "./due.js";
import { recordEnds, runEnds } from "./run-ends.js";
import { isActive, isNews, lastStarted, missedSoFar, outdated, runNowAnnotation, shown } from "./runs.js";
import { type Context, type Start, startAsked, startDue } from "./start-run.js";

/** The retry interval of a run that the server refused, if none is due sooner. */
const tryAgain = 30_000;

/** The parsed schedules and time zones, for all objects. */
const schedules = new Schedules();

/** Starts a Job at each time a CronTab names. */
export const cronTabController = defineController(CronTab, {
  when: anyOf(generationChanged, annotationsChanged),
  owns: [owned(Job, { when: isNews, verbs: ["create", "delete"] })],
  sources: [clockJumps()],
  reconcile(cronTab, ctx) {
    const schedule = read(cronTab);
    return typeof schedule === "string"
      ? reportInvalid(ctx, cronTab, schedule)
      : followSchedule(ctx, cronTab, schedule);
  },
  onError: (error) => ({ conditions: [isReady("False", "ReconcileFailed", messageOf(error))] }),
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Objects of a CRD that demands nothing may have no spec at all. */
function read({ metadata, spec }: CronTab): Schedule | string {
  const anchor = Date.parse(metadata.creationTimestamp ?? "") || 0;
  const cronSpec: string | undefined = spec?.cronSpec;
  if (cronSpec === undefined) return "spec.cronSpec is missing";
  try {
    return schedules.parse(cronSpec, { timeZone: spec.timeZone, anchor });
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return error.message;
  }
}

async function followSchedule(ctx: Context, cronTab: CronTab, schedule: Schedule): Promise<ReconcileResult> {
  const now = ctx.now();
  const due = dueOf(cronTab, ctx.children(Job), schedule, now);
  const next = cronTab.spec.suspend ? undefined : schedule.next(due.after);
  if (next !== undefined) ctx.requeueAt(next);
  if (due.missed > 0) recordMissed(ctx, due.missed);
  const missed = missedSoFar(cronTab, ctx.children(Job)) + due.missed;
  const asked = await startAsked(ctx, cronTab);
  const start = due.time === undefined ? undefined : await startDue(ctx, cronTab, due.time, missed);
  recordStart(ctx, start ?? asked);
  const ends = runEnds(cronTab, ctx.children(Job));
  recordEnds(ctx, cronTab, ends);
  const isLeft = await deleteOutdated(ctx, cronTab, ends.uncounted);
  const findings = { start: start ?? asked, missed: due.missed, ends, next };
  ctx.status({
    ...countsOf(ctx, cronTab, now),
    ...ended(ends),
    suspended: cronTab.spec.suspend === true,
    handledUntil: handled(due, start),
    lastRunNow: askedValue(cronTab, asked),
    nextRun: next === undefined ? undefined : shown(next),
    missed: missed || undefined,
    skipped: (cronTab.status?.skipped ?? 0) + (start?.kind === "skipped" ? 1 : 0) || undefined,
    conditions: conditionsOf(cronTab, findings),
  });
  return { requeueAt: next, requeueAfter: pause(due, [start, asked], isLeft) };
}

/** The schedule is wrong; runs that are under way go on. */
async function reportInvalid(ctx: Context, cronTab: CronTab, message: string): Promise<undefined> {
  const ready = cronTab.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.message !== message)
    ctx.event({ type: "Warning", reason: "InvalidSchedule", action: "Read", note: message });
  const ends = runEnds(cronTab, ctx.children(Job));
  recordEnds(ctx, cronTab, ends);
  ctx.status({
    ...countsOf(ctx, cronTab, ctx.now()),
    ...ended(ends),
    nextRun: undefined,
    conditions: [isReady("False", "InvalidSchedule", message)],
  });
}

function countsOf(ctx: Context, cronTab: CronTab, now: number) {
  const jobs = ctx.children(Job);
  return { active: jobs.filter(isActive).length, lastScheduleTime: lastStarted(cronTab, jobs, now) };
}

function ended({ lastSuccessfulTime, failed, failedJobs }: ReturnType<typeof runEnds>) {
  return {
    lastSuccessfulTime,
    failed: failed || undefined,
    failedJobs: failedJobs.length === 0 ? undefined : failedJobs,
  };
}

/** A run that was refused or waits is still to be dealt with. */
function handled(due: Due, start: Start | undefined): string | undefined {
  const isPending = start?.kind === "refused" || start?.kind === "queued";
  const time = isPending ? due.handledBefore : due.handledUntil;
  return time === undefined ? undefined : shown(time);
}

function askedValue({ metadata, status }: CronTab, asked: Start | undefined): string | undefined {
  return asked?.kind === "started" ? metadata.annotations?.[runNowAnnotation] : status?.lastRunNow;
}

function pause(due: Due, starts: readonly (Start | undefined)[], isLeft: boolean): number | undefined {
  if (isLeft || (due.hasMore && starts[0]?.kind === "started")) return 1;
  return starts.some((start) => start?.kind === "refused") ? tryAgain : undefined;
}

/** Deletes finished runs beyond the limits. A failure stays until it is counted; returns whether one does. */
async function deleteOutdated(ctx: Context, cronTab: CronTab, uncounted: readonly Job[]): Promise<boolean> {
  const old = outdated(ctx.children(Job), cronTab);
  const kept = cronTab.status ? old.filter((job) => uncounted.includes(job)) : [];
  for (const job of old) if (!kept.includes(job)) await ctx.delete(Job, job);
  return kept.length > 0;
}

function recordStart(ctx: Context, start: Start | undefined): void {
  if (start?.kind === "skipped")
    ctx.event({ reason: "RunSkipped", action: "Start", note: `a run was skipped: ${start.message}` });
  if (start?.kind === "refused")
    ctx.event({ type: "Warning", reason: "StartFailed", action: "Start", note: start.message });
}

/** Without times and counts in the note, repeated events become a series. */
function recordMissed(ctx: Context, missed: number): void {
  const note =
    missed === 1 ? "a run was due and not started in time" : "runs were due and not started in time";
  ctx.event({ type: "Warning", reason: "RunMissed", action: "Start", note });
}

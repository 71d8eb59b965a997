import { isAlreadyExists, isControlledBy, Job } from "@kubewright/api";
import { defineController, generationChanged, owned, type ReconcileContext } from "@kubewright/runtime";
import { clockJumps, type Schedule, ScheduleError, Schedules } from "@kubewright/runtime/schedule";
import { CronTab } from "../api/v1/cron-tab.js";
import { type Due, dueOf } from "./due.js";
import {
  isNews,
  lastSuccess,
  missedSoFar,
  outdated,
  runFor,
  scheduledAnnotation,
  shown,
  stateOf,
} from "./runs.js";

type Context = ReconcileContext<typeof CronTab, typeof CronTab | typeof Job, typeof Job>;

/** What has been read of schedules and zones, for all objects. */
const schedules = new Schedules();

/** Starts a Job at each time a CronTab names. */
export const cronTabController = defineController(CronTab, {
  when: generationChanged,
  owns: [owned(Job, { when: isNews })],
  sources: [clockJumps()],
  async reconcile(cronTab, ctx) {
    const schedule = read(cronTab);
    if (typeof schedule === "string") {
      ctx.status({
        active: activeAmong(ctx.children(Job)),
        lastSuccessfulTime: lastSuccess(cronTab, ctx.children(Job)),
        nextRun: undefined,
        conditions: [ready("False", "InvalidSchedule", schedule)],
      });
      return undefined;
    }
    const now = ctx.now();
    const due = dueOf(cronTab, ctx.children(Job), schedule, now);
    if (due.missed > 0) tellMissed(ctx, due);
    const missed = missedSoFar(cronTab, ctx.children(Job)) + due.missed;
    const isSkipped =
      due.time !== undefined && !(await start(ctx, cronTab, runFor(cronTab, due.time, missed)));
    const succeeded = lastSuccess(cronTab, ctx.children(Job));
    for (const job of outdated(ctx.children(Job), cronTab)) await ctx.delete(Job, job);
    const next = cronTab.spec.suspend ? undefined : schedule.next(due.after);
    ctx.status(statusOf(ctx, cronTab, { due, missed, isSkipped, succeeded, next }));
    return { requeueAt: next };
  },
});

function read({ metadata, spec }: CronTab): Schedule | string {
  const anchor = Date.parse(metadata.creationTimestamp ?? "") || 0;
  try {
    return schedules.parse(spec.cronSpec, { timeZone: spec.timeZone, anchor });
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    return error.message;
  }
}

/** Starts a run, unless one under way forbids it. Returns whether it did. */
async function start(ctx: Context, cronTab: CronTab, wanted: ReturnType<typeof runFor>): Promise<boolean> {
  const { concurrencyPolicy = "Allow" } = cronTab.spec;
  const others = ctx.children(Job).filter((job) => job.metadata?.name !== wanted.metadata.name);
  const active = others.filter((job) => stateOf(job) === "active");
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const time = wanted.metadata.annotations[scheduledAnnotation];
    const note = `the run due at ${time} is skipped: ${active[0]?.metadata?.name} is under way`;
    ctx.event({ reason: "RunSkipped", action: "Start", note });
    return false;
  }
  if (concurrencyPolicy === "Replace") for (const job of active) await ctx.delete(Job, job);
  await create(ctx, cronTab, wanted);
  return true;
}

/** A run of ours that is there already was made by us, for this very second, before we forgot. */
async function create(ctx: Context, cronTab: CronTab, wanted: ReturnType<typeof runFor>): Promise<void> {
  try {
    await ctx.create(Job, wanted);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await ctx.get(Job, wanted.metadata.name, { live: true });
    if (found && !isControlledBy(found, cronTab)) throw error;
  }
}

interface Findings {
  readonly due: Due;
  readonly missed: number;
  readonly isSkipped: boolean;
  /** When a run last succeeded. */
  readonly succeeded: string | undefined;
  readonly next: number | undefined;
}

function statusOf(ctx: Context, { spec, status }: CronTab, findings: Findings) {
  const { due, missed, isSkipped, succeeded, next } = findings;
  const skipped = (status?.skipped ?? 0) + (isSkipped ? 1 : 0);
  return {
    active: activeAmong(ctx.children(Job)),
    suspended: spec.suspend === true,
    lastScheduleTime: due.handledUntil === undefined ? undefined : shown(due.handledUntil),
    lastSuccessfulTime: succeeded,
    nextRun: next === undefined ? undefined : shown(next),
    missed: missed || undefined,
    skipped: skipped || undefined,
    conditions: [ready("True", ...outlook(spec.suspend, next))],
  };
}

const activeAmong = (jobs: readonly Job[]): number => jobs.filter((job) => stateOf(job) === "active").length;

function outlook(
  isSuspended: boolean | undefined,
  next: number | undefined,
): [reason: string, message: string] {
  if (isSuspended) return ["Suspended", "nothing is started while spec.suspend is true"];
  return next === undefined
    ? ["Finished", "no run is to come"]
    : ["Scheduled", "the next run is in status.nextRun"];
}

function ready(status: "True" | "False", reason: string, message: string) {
  return { type: "Ready", status, reason, message } as const;
}

function tellMissed(ctx: Context, { missed, handledUntil = 0 }: Due): void {
  const note = `${missed} ${missed === 1 ? "run was" : "runs were"} due up to ${shown(handledUntil)} and not started`;
  ctx.event({ type: "Warning", reason: "RunMissed", action: "Start", note });
}

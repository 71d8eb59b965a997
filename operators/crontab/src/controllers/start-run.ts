// Starting a run, or finding out that it must not or cannot be started.
import {
  ApiError,
  isAlreadyExists,
  isControlledBy,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  Job,
} from "@kubewright/api";
import type { ReconcileContext } from "@kubewright/runtime";
import type { CronTab } from "../api/v1/cron-tab.js";
import { runFor, runNow } from "./run-job.js";
import { isActive, runNowAnnotation } from "./runs.js";

export type Context = ReconcileContext<typeof CronTab, typeof CronTab | typeof Job, typeof Job>;

/** The outcome of a run that is due. */
export type Start =
  | { readonly kind: "started" }
  /** Others are under way, and the run is over with that. */
  | { readonly kind: "skipped"; readonly message: string }
  /** Other runs are active, and this one waits for them. */
  | { readonly kind: "queued"; readonly message: string }
  /** The server refused the Job; it is tried again. */
  | { readonly kind: "refused"; readonly message: string };

const usualMaxActive = 100;

/** Starts the run that is due at a moment. */
export async function startDue(ctx: Context, cronTab: CronTab, time: number, missed: number): Promise<Start> {
  const { concurrencyPolicy = "Allow", catchUpPolicy } = cronTab.spec;
  const wanted = runFor(cronTab, time, missed);
  const active = ctx
    .children(Job)
    .filter((job) => isActive(job) && job.metadata?.name !== wanted.metadata.name);
  const inTheWay = obstacle(cronTab, active.length);
  if (inTheWay !== undefined)
    return { kind: catchUpPolicy === "All" ? "queued" : "skipped", message: inTheWay };
  if (concurrencyPolicy === "Replace") for (const job of active) await replace(ctx, job);
  return create(ctx, cronTab, wanted);
}

/** Starts a run because of the annotation, whatever else is under way; undefined when there is none to start. */
export async function startAsked(ctx: Context, cronTab: CronTab): Promise<Start | undefined> {
  const value = cronTab.metadata.annotations?.[runNowAnnotation];
  if (value === undefined || value === cronTab.status?.lastRunNow) return undefined;
  const isThere = ctx.children(Job).some((job) => job.metadata?.annotations?.[runNowAnnotation] === value);
  return isThere ? { kind: "started" } : create(ctx, cronTab, runNow(cronTab, value));
}

function obstacle({ spec }: CronTab, active: number): string | undefined {
  const { concurrencyPolicy = "Allow", maxActiveRuns = usualMaxActive } = spec;
  if (concurrencyPolicy === "Forbid" && active > 0) return "a run is still under way";
  if (concurrencyPolicy === "Allow" && active >= maxActiveRuns)
    return `${active} runs are under way, and maxActiveRuns is ${maxActiveRuns}`;
  return undefined;
}

async function replace(ctx: Context, job: Job): Promise<void> {
  await ctx.delete(Job, job);
  ctx.event({
    reason: "RunReplaced",
    action: "Start",
    note: "a run that was under way gave way to the next",
  });
}

async function create(ctx: Context, cronTab: CronTab, wanted: ReturnType<typeof runFor>): Promise<Start> {
  try {
    await ctx.create(Job, wanted);
  } catch (error) {
    if (isAlreadyExists(error)) await mustBeOurs(ctx, cronTab, wanted.metadata.name, error);
    else if (isRefusal(error)) return refusal(error, wanted.metadata.name);
    else throw error;
    return { kind: "started" };
  }
  ctx.event({ reason: "RunStarted", action: "Start", note: "a run was started" });
  return { kind: "started" };
}

/** A terminating namespace deletes the CronTab too: that is no refusal of this Job. */
const isRefusal = (error: unknown): boolean =>
  (isForbidden(error) && !isNamespaceTerminating(error)) || isInvalid(error);

/** A run of ours that is there already was made by us, for this very second, before we forgot. */
async function mustBeOurs(ctx: Context, cronTab: CronTab, name: string, error: unknown): Promise<void> {
  const found = await ctx.get(Job, name, { live: true });
  if (found && !isControlledBy(found, cronTab)) throw error;
}

/**
 * The name ends in the second the run was due at. It is shortened to its prefix, as the server does with names it generates, so that
 * refusals of one cause read alike and become one event.
 */
function refusal(error: unknown, name: string): Start {
  const text = error instanceof ApiError ? error.message : String(error);
  return { kind: "refused", message: text.replaceAll(name, name.slice(0, name.lastIndexOf("-") + 1)) };
}

// The controller of timetables. Here `Hpa` is the timetable, never the HorizontalPodAutoscaler.
import {
  Deployment,
  HorizontalPodAutoscaler,
  type KubeObject,
  ReplicaSet,
  StatefulSet,
} from "@kubewright/api";
import {
  defineController,
  generationChanged,
  type OwnObjects,
  type Predicate,
  type ReconcileResult,
  readOnly,
  used,
  watch,
} from "@kubewright/runtime";
import { clockJumps, Schedules } from "@kubewright/runtime/schedule";
import { autoscalerIndex } from "@kubewright/runtime/workload";
import { HolidayCalendar } from "../api/v1/holiday-calendar.js";
import { Hpa } from "../api/v1/hpa.js";
import { boundsOf } from "./autoscaler-window.js";
import { type Context, calendarIndex, movedIndex, targetIndex, targetKey } from "./context.js";
import { daysOfRest } from "./days-of-rest.js";
import { giveBack, moverOf } from "./give-back.js";
import { reportOn } from "./hpa-status.js";
import { type Plan, planFor } from "./plan.js";
import { carryOut, type Outcome } from "./run-outcome.js";
import { sharedWith } from "./shared-target.js";
import { isWatched, type WorkloadObject } from "./target-owner.js";
import { upcomingRuns } from "./upcoming.js";

/** The polling interval of a target that is missing, or whose kind is not watched. */
const lookAgain = 60_000;

/** The parsed schedules and time zones, for all objects. */
const schedules = new Schedules();

/** Scales the targets of timetables at their times, and keeps the sizes. */
export const hpaController = defineController(Hpa, {
  when: generationChanged,
  indexes: {
    [targetIndex]: ({ metadata, spec }) => [targetKey(spec.scaleTarget, metadata.namespace)],
    [calendarIndex]: ({ spec }) => spec.calendars ?? [],
  },
  sources: [clockJumps()],
  uses: [used(HorizontalPodAutoscaler, { verbs: ["patch"] }), readOnly(ReplicaSet)],
  watches: [
    watch(HorizontalPodAutoscaler, {
      indexes: { [autoscalerIndex]: scaledBy, [movedIndex]: moverOf },
      when: boundsChanged,
      targets: (autoscaler, own) => [
        ...targeting("autoscaling/v2", "HorizontalPodAutoscaler", autoscaler, own),
        ...scaledBy(autoscaler).flatMap((key) => own.byIndex(targetIndex, key)),
      ],
    }),
    watch(Deployment, {
      when: sizeChanged,
      targets: (object, own) => targeting("apps/v1", "Deployment", object, own),
    }),
    watch(StatefulSet, {
      when: sizeChanged,
      targets: (object, own) => targeting("apps/v1", "StatefulSet", object, own),
    }),
    watch(HolidayCalendar, {
      targets: ({ metadata }, own) => own.byIndex(calendarIndex, metadata.name ?? ""),
    }),
    // Timetables of one target know of each other.
    watch(Hpa, {
      when: generationChanged,
      targets: ({ metadata, spec }, own) =>
        own.byIndex(targetIndex, targetKey(spec.scaleTarget, metadata.namespace)),
    }),
  ],
  rbac: [{ apiGroups: ["*"], resources: ["*/scale"], verbs: ["get", "patch"] }],
  reconcile: (hpa, ctx) => followTimetable(hpa, ctx),
  onError: (error) => ({
    conditions: [
      {
        type: "Ready",
        status: "False",
        reason: "ReconcileFailed",
        message: error instanceof Error ? error.message : String(error),
      },
    ],
  }),
});

async function followTimetable(hpa: Hpa, ctx: Context): Promise<ReconcileResult> {
  const now = ctx.now();
  const plan = planFor(hpa, now, schedules, daysOfRest(hpa, await calendarsOf(ctx, hpa)));
  const [next] = hpa.spec.suspend ? [] : upcomingRuns(plan.jobs, plan.at, 1);
  if (next) ctx.requeueAt(next.time);
  const others = await sharedWith(ctx, hpa);
  recordShared(ctx, hpa, others);
  const outcome = await carryOut(ctx, hpa, plan, { now, mayRestore: others.length === 0 });
  await giveBack(ctx, hpa);
  const report = reportOn(hpa, plan, outcome, { now, sharedWith: others });
  ctx.status(report.status);
  return { requeueAt: report.next?.time, requeueAfter: pause(hpa, plan, outcome, now) };
}

/** The requeue time before the next run. */
function pause({ spec }: Hpa, { inForce }: Plan, outcome: Outcome, now: number): number | undefined {
  if (outcome.kind === "remembered") return 1;
  if (outcome.kind === "held") return Math.max(1, outcome.until - now);
  if (outcome.kind === "waiting" || (outcome.kind === "idle" && outcome.problem)) return lookAgain;
  const isKept = inForce !== undefined && spec.enforce !== "AtStart";
  return isKept && !isWatched(spec.scaleTarget) ? lookAgain : undefined;
}

async function calendarsOf(ctx: Context, { spec }: Hpa): Promise<ReadonlyMap<string, HolidayCalendar>> {
  const found = new Map<string, HolidayCalendar>();
  for (const name of spec.calendars ?? []) {
    const calendar = await ctx.get(HolidayCalendar, name);
    if (calendar) found.set(name, calendar);
  }
  return found;
}

/** Records an event once, when it begins. */
function recordShared(ctx: Context, { spec, status }: Hpa, others: readonly string[]): void {
  const known = status?.conditions?.find(
    ({ type, reason }) => type === "Conflicting" && reason === "SharedTarget",
  );
  if (others.length === 0 || spec.suspend || known?.status === "True") return;
  const note = `${spec.scaleTarget.kind} ${spec.scaleTarget.name} is also scaled by ${others.join(", ")}`;
  ctx.event({ type: "Warning", reason: "SharedTarget", action: "Scale", note });
}

/** The timetables that name an object as their target. */
function targeting(apiVersion: string, kind: string, { metadata = {} }: KubeObject, own: OwnObjects) {
  return own.byIndex(
    targetIndex,
    targetKey({ apiVersion, kind, name: metadata.name ?? "" }, metadata.namespace),
  );
}

/** The scale target of an autoscaler, as the key of a target. */
function scaledBy({ metadata, spec }: HorizontalPodAutoscaler): readonly string[] {
  if (!spec) return [];
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  return [targetKey({ apiVersion, kind, name }, metadata?.namespace)];
}

function sizeChanged({ previous, current }: Parameters<Predicate<WorkloadObject>>[0]): boolean {
  return !previous || !current || previous.spec?.replicas !== current.spec?.replicas;
}

function boundsChanged({ previous, current }: Parameters<Predicate<HorizontalPodAutoscaler>>[0]): boolean {
  if (!previous || !current) return true;
  const [before, after] = [boundsOf(previous), boundsOf(current)];
  return (
    before.min !== after.min || before.max !== after.max || scaledBy(previous)[0] !== scaledBy(current)[0]
  );
}

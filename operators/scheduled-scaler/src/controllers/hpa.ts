import { HorizontalPodAutoscaler, parseApiVersion } from "@kubewright/api";
import { defineController, generationChanged, type ReconcileResult, watch } from "@kubewright/runtime";
import { clockJumps, Schedules } from "@kubewright/runtime/schedule";
import { autoscaledBy, autoscalerIndex } from "@kubewright/runtime/workload";
import { Hpa } from "../api/v1/hpa.js";
import { reportOn } from "./hpa-status.js";
import { planFor } from "./plan.js";
import { carryOut } from "./run-outcome.js";
import { type Context, giveBack, movedIndex, moverOf } from "./scale-target.js";

/** How often a target that is missing is looked for. */
const lookAgain = 60_000;

/** What has been read of schedules and zones, for all objects. */
const schedules = new Schedules();

/** Scales what timetables name, when they say. */
export const hpaController = defineController(Hpa, {
  when: generationChanged,
  sources: [clockJumps()],
  uses: [HorizontalPodAutoscaler],
  watches: [
    watch(HorizontalPodAutoscaler, {
      indexes: { [autoscalerIndex]: targetOf, [movedIndex]: moverOf },
      // Read when a run is due; no change of one makes a run due.
      targets: () => [],
    }),
  ],
  rbac: [{ apiGroups: ["*"], resources: ["*/scale"], verbs: ["get", "patch"] }],
  reconcile: followTimetable,
});

async function followTimetable(hpa: Hpa, ctx: Context): Promise<ReconcileResult> {
  const now = ctx.now();
  const plan = planFor(hpa, now, schedules);
  const outcome = await carryOut(ctx, hpa, plan, now);
  await giveBack(ctx, hpa);
  const { status, next } = reportOn(hpa, plan, outcome, now);
  ctx.status(status);
  const isAmiss = outcome.kind === "waiting" || (outcome.kind === "idle" && outcome.problem !== undefined);
  return { requeueAt: next?.time, requeueAfter: isAmiss ? lookAgain : undefined };
}

function targetOf({ metadata, spec }: HorizontalPodAutoscaler): readonly string[] {
  if (!spec) return [];
  const { apiVersion = "", kind, name } = spec.scaleTargetRef;
  const group = parseApiVersion(apiVersion)?.group ?? "";
  return [autoscaledBy({ kind: { kind, group }, name, namespace: metadata?.namespace })];
}

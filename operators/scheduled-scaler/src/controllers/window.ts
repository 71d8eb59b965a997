// Here `Hpa` is the timetable; the objects reconciled are HorizontalPodAutoscalers.
import { HorizontalPodAutoscaler } from "@kubewright/api";
import { defineController, used, watch } from "@kubewright/runtime";
import { Hpa } from "../api/v1/hpa.js";
import { movedBy, originalBounds } from "./autoscaler-window.js";
import { setBounds } from "./change.js";
import { movedIndex } from "./context.js";
import { moverOf } from "./give-back.js";

/**
 * Gives an autoscaler its own bounds back when the timetable that moved them is gone. No finalizer is needed for that: the
 * annotation of the autoscaler is enough, also after the operator was away.
 */
export const windowController = defineController(HorizontalPodAutoscaler, {
  name: "window",
  indexes: { [movedIndex]: moverOf },
  when: ({ previous, current }) => !!current && (!previous || movedBy(previous) !== movedBy(current)),
  uses: [used(HorizontalPodAutoscaler, { verbs: ["patch"] })],
  // The status of autoscalers is written by the controller manager of Kubernetes.
  writesStatus: false,
  watches: [
    watch(Hpa, {
      when: ({ current }) => current === undefined,
      targets: ({ metadata }, own) => own.byIndex(movedIndex, `${metadata.namespace}/${metadata.name}`),
    }),
  ],
  async reconcile(autoscaler, ctx) {
    const by = movedBy(autoscaler);
    if (by === undefined || (await ctx.get(Hpa, by))) return;
    await setBounds(ctx, autoscaler, by, originalBounds(autoscaler));
    ctx.event({
      reason: "WindowClosed",
      action: "Restore",
      note: `the timetable ${by} is gone: the own bounds are back`,
    });
  },
});

import { ConfigMap, Deployment } from "@kubewright/api";
import { defineController, watch } from "@kubewright/runtime";
import { failureStatus, rolloutReport, tellFailure, watchPods } from "@kubewright/runtime/workload";
import { Guestbook } from "../api/v1/guestbook.js";
import { deploymentFor, guestbookLabel } from "./deployment.js";
import { serving } from "./serving.js";

/** Keeps a Deployment for every Guestbook, and says which of its pods serves. */
export const guestbookController = defineController(Guestbook, {
  owns: [Deployment],
  indexes: { config: ({ metadata, spec }) => [`${metadata.namespace}/${spec.configMapName}`] },
  watches: [
    watchPods(guestbookLabel),
    watch(ConfigMap, {
      targets: ({ metadata }, books) => books.byIndex("config", `${metadata?.namespace}/${metadata?.name}`),
    }),
  ],
  async reconcile(book, ctx) {
    const config = await ctx.get(ConfigMap, book.spec.configMapName);
    if (!config) {
      const message = `there is no ConfigMap ${book.spec.configMapName}; create it to go on`;
      ctx.status({ conditions: [{ type: "Degraded", status: "True", reason: "ConfigMapMissing", message }] });
      return undefined;
    }
    try {
      const deployment = await ctx.apply(Deployment, deploymentFor(book, config), { adopt: false });
      const pods = ctx.pods();
      const { status, options } = rolloutReport(deployment, pods);
      ctx.status({ ...serving(pods, book.status?.active), conditions: status.conditions }, options);
    } catch (error) {
      return tellFailure(ctx, error);
    }
    return undefined;
  },
  onError: failureStatus,
});

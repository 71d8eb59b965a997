import { Deployment, Ingress, Service } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import {
  applyDeployment,
  applyService,
  failureStatus,
  rolloutReport,
  tellFailure,
  watchAutoscalers,
  watchPods,
} from "@kubewright/runtime/workload";
import { Application } from "../api/v1/application.js";
import { applicationLabel, deploymentFor, ingressFor, serviceFor } from "./parts.js";
import { statusOf } from "./status.js";

/** Keeps the parts of every Application; those it no longer has are deleted. */
export const applicationController = defineController(Application, {
  owns: [Deployment, Service, Ingress],
  watches: [watchPods(applicationLabel), watchAutoscalers(Deployment)],
  async reconcile(app, ctx) {
    const { namespace = "" } = app.metadata;
    const wanted = { deployment: deploymentFor(app), service: serviceFor(app), ingress: ingressFor(app) };
    // One part that cannot be made keeps no other from being made.
    const results = await Promise.allSettled([
      wanted.deployment && applyDeployment(ctx, wanted.deployment, namespace),
      wanted.service && applyService(ctx, wanted.service),
      wanted.ingress && ctx.apply(Ingress, wanted.ingress, { adopt: false }),
    ]);
    await ctx.prune();
    const [deployment, service, ingress] = [
      fulfilled(results[0]),
      fulfilled(results[1]),
      fulfilled(results[2]),
    ];
    const pods = ctx.pods();
    const patience = deployment && rolloutReport(deployment, pods).options;
    ctx.status(statusOf({ deployment, service, ingress }, pods), patience);
    const failure = results.find((result) => result.status === "rejected");
    return failure && tellFailure(ctx, failure.reason);
  },
  onError: failureStatus,
});

function fulfilled<T>(result: PromiseSettledResult<T>): T | undefined {
  return result.status === "fulfilled" ? result.value : undefined;
}

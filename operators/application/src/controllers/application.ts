import { Deployment, Ingress, PodDisruptionBudget, Service } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import {
  deploymentPart,
  failureStatus,
  keepWorkload,
  part,
  servicePart,
  watchAutoscalers,
  watchPods,
} from "@kubewright/runtime/workload";
import { Application } from "../api/v1/application.js";
import { applicationLabel, deploymentFor, disruptionBudgetFor, ingressFor, serviceFor } from "./parts.js";
import { partStatus } from "./status.js";

/** Keeps the parts of every Application; those it no longer has are deleted. */
export const applicationController = defineController(Application, {
  owns: [Deployment, Service, Ingress, PodDisruptionBudget],
  watches: [watchPods(applicationLabel), watchAutoscalers(Deployment)],
  reconcile: (app, ctx) =>
    keepWorkload(
      ctx,
      app,
      {
        deployment: deploymentPart(ctx, app, deploymentFor(app)),
        service: servicePart(ctx, serviceFor(app)),
        ingress: part(ctx, Ingress, ingressFor(app)),
        podDisruptionBudget: part(ctx, PodDisruptionBudget, disruptionBudgetFor(app)),
      },
      { podLabel: applicationLabel, status: partStatus },
    ),
  onError: failureStatus,
});

import { Deployment, PodDisruptionBudget, Service } from "@kubewright/api";
import { defineController, owned } from "@kubewright/runtime";
import {
  deploymentPart,
  failureStatus,
  keepWorkload,
  part,
  servicePart,
  watchAutoscalers,
  watchPods,
} from "@kubewright/runtime/workload";
import { AppService } from "../api/v1/app-service.js";
import { appLabel, deploymentFor, disruptionBudgetFor, serviceFor } from "./children.js";

/** Keeps a Deployment, and a Service where there are ports, for every AppService. */
export const appServiceController = defineController(AppService, {
  owns: [owned(Deployment, { verbs: ["create", "patch"] }), Service, PodDisruptionBudget],
  watches: [watchPods(appLabel), watchAutoscalers(Deployment)],
  reconcile: (app, ctx) =>
    keepWorkload(
      ctx,
      app,
      {
        deployment: deploymentPart(ctx, app, deploymentFor(app)),
        service: servicePart(ctx, serviceFor(app)),
        podDisruptionBudget: part(ctx, PodDisruptionBudget, disruptionBudgetFor(app)),
      },
      { podLabel: appLabel },
    ),
  onError: failureStatus,
});

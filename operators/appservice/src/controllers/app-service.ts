import { Deployment, Service } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { failureStatus, keepWorkload, watchAutoscalers, watchPods } from "@kubewright/runtime/workload";
import { AppService } from "../api/v1/app-service.js";
import { appLabel, deploymentFor, serviceFor } from "./children.js";

/** Keeps a Deployment, and a Service where there are ports, for every AppService. */
export const appServiceController = defineController(AppService, {
  owns: [Deployment, Service],
  watches: [watchPods(appLabel), watchAutoscalers(Deployment)],
  reconcile: (app, ctx) =>
    keepWorkload(ctx, app, { deployment: deploymentFor(app), service: serviceFor(app), podLabel: appLabel }),
  onError: failureStatus,
});

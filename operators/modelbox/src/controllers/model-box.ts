import { Deployment, Service } from "@kubewright/api";
import { defineController } from "@kubewright/runtime";
import { ModelBox } from "../api/v1/model-box.js";
import { deploymentFor, serviceFor } from "./children.js";

/** Keeps a Deployment and a Service for every ModelBox. */
export const modelBoxController = defineController(ModelBox, {
  owns: [Deployment, Service],
  async reconcile(box, ctx) {
    const deployment = await ctx.apply(Deployment, deploymentFor(box));
    await ctx.apply(Service, serviceFor(box));
    ctx.status({
      replicas: deployment.status?.replicas ?? 0,
      readyReplicas: deployment.status?.readyReplicas ?? 0,
    });
  },
});

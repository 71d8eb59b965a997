import { Deployment, Service } from "@kubewright/api";
import { defineController, watch } from "@kubewright/runtime";
import {
  deploymentPart,
  failureStatus,
  keepWorkload,
  servicePart,
  watchAutoscalers,
  watchPods,
} from "@kubewright/runtime/workload";
import { ModelBox } from "../api/v1/model-box.js";
import { ModelBoxPolicy } from "../api/v1/model-box-policy.js";
import { boxLabel, deploymentFor, serviceFor } from "./children.js";
import { additionsFor } from "./policies.js";

/** Keeps a Deployment and a Service for every ModelBox. */
export const modelBoxController = defineController(ModelBox, {
  owns: [Deployment, Service],
  watches: [
    watchPods(boxLabel),
    watchAutoscalers(Deployment),
    watch(ModelBoxPolicy, { targets: (_policy, boxes) => [...boxes.all()] }),
  ],
  async reconcile(box, ctx) {
    const additions = additionsFor(box, await ctx.list(ModelBoxPolicy));
    return keepWorkload(
      ctx,
      box,
      {
        deployment: deploymentPart(ctx, box, deploymentFor(box, additions)),
        service: servicePart(ctx, serviceFor(box)),
      },
      { podLabel: boxLabel },
    );
  },
  onError: failureStatus,
});

import { Deployment, PodDisruptionBudget, Service } from "@kubewright/api";
import { defineController, owned, watch } from "@kubewright/runtime";
import {
  deploymentPart,
  failureStatus,
  keepWorkload,
  part,
  servicePart,
  watchAutoscalers,
  watchPods,
} from "@kubewright/runtime/workload";
import { ModelBox } from "../api/v1/model-box.js";
import { ModelBoxPolicy } from "../api/v1/model-box-policy.js";
import { boxLabel, deploymentFor, disruptionBudgetFor, serviceFor } from "./children.js";
import { additionsFor } from "./policies.js";
import { policyCondition } from "./policy-condition.js";

/** Keeps a Deployment and a Service for every ModelBox. */
export const modelBoxController = defineController(ModelBox, {
  owns: [owned(Deployment, { verbs: ["create", "patch"] }), Service, PodDisruptionBudget],
  watches: [
    watchPods(boxLabel),
    watchAutoscalers(Deployment),
    watch(ModelBoxPolicy, { targets: (_policy, boxes) => [...boxes.all()] }),
  ],
  async reconcile(box, ctx) {
    const policies = await ctx.list(ModelBoxPolicy);
    const condition = policyCondition(box, policies);
    if (condition) ctx.status({ conditions: [condition] });
    const additions = additionsFor(box, policies);
    return keepWorkload(
      ctx,
      box,
      {
        deployment: deploymentPart(ctx, box, deploymentFor(box, additions)),
        service: servicePart(ctx, serviceFor(box)),
        podDisruptionBudget: part(ctx, PodDisruptionBudget, disruptionBudgetFor(box)),
      },
      { podLabel: boxLabel },
    );
  },
  onError: failureStatus,
});

import { Deployment, HorizontalPodAutoscaler, Pod, Service } from "@kubewright/api";
import { defineController, watch } from "@kubewright/runtime";
import {
  addressOf,
  applyService,
  autoscaledBy,
  autoscalerIndex,
  nodePortsOf,
  rolloutReport,
  tellFailure,
  watchAutoscalers,
  watchPods,
} from "@kubewright/runtime/workload";
import { ModelBox } from "../api/v1/model-box.js";
import { ModelBoxPolicy } from "../api/v1/model-box-policy.js";
import { boxLabel, deploymentFor, nameOf, serviceFor } from "./children.js";
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
    const name = nameOf(box);
    const { namespace } = box.metadata;
    const target = autoscaledBy({ kind: Deployment, name, namespace });
    const isAutoscaled = ctx.byIndex(HorizontalPodAutoscaler, autoscalerIndex, target).length > 0;
    const additions = additionsFor(box, await ctx.list(ModelBoxPolicy));
    try {
      const deployment = await ctx.apply(Deployment, deploymentFor(box, additions), {
        adopt: false,
        yields: isAutoscaled ? ["spec.replicas"] : [],
      });
      const { status, options } = rolloutReport(
        deployment,
        ctx.byIndex(Pod, "object", `${namespace}/${name}`),
      );
      ctx.status({ ...status, selector: `${boxLabel}=${name}` }, options);
      const service = await applyService(ctx, serviceFor(box));
      ctx.status({ address: addressOf(service), nodePorts: nodePortsOf(service) });
    } catch (error) {
      return tellFailure(ctx, error);
    }
    return undefined;
  },
});

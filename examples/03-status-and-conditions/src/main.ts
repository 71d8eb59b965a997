// What people and programs read: conditions for `kubectl wait`, events for `kubectl describe`, columns for `kubectl get`.
import {
  type ConditionUpdate,
  Deployment,
  isConditionTrue,
  type ObjectOf,
  TerminalError,
} from "@kubewright/api";
import { defineController, defineManager } from "@kubewright/runtime";
import { conditions, defineResource, z } from "@kubewright/schema";

export const Worker = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Worker",
  spec: z.object({ image: z.string().min(1), replicas: z.int32().min(0).default(1) }),
  status: z.object({
    observedGeneration: z.int().optional(), // filled in by ctx.status
    readyReplicas: z.int32().optional(),
    conditions: conditions(),
  }),
  columns: {
    Ready: ".status.conditions[?(@.type=='Ready')].status",
    Reason: ".status.conditions[?(@.type=='Ready')].reason",
  },
});
type Worker = ObjectOf<typeof Worker>;

const workerController = defineController(Worker, {
  owns: [Deployment],
  async reconcile(worker, ctx) {
    // Repeating cannot help before the spec changes, so there is no backoff: it is reported once, in a condition and an event.
    if (worker.spec.image.endsWith(":latest"))
      throw new TerminalError(
        `image ${worker.spec.image}: name a version, so that all pods run the same one`,
      );
    const before = isConditionTrue(worker.status?.conditions, "Ready");
    const deployment = await ctx.apply(Deployment, deploymentFor(worker));
    const ready = readiness(worker, deployment);
    if (ready.status === "True" && !before) ctx.event({ reason: "Ready", note: "all replicas are ready" });
    ctx.status({ readyReplicas: deployment.status?.readyReplicas ?? 0, conditions: [ready] });
  },
  onError: (error) => ({
    conditions: [{ type: "Ready", status: "False", reason: "Failed", message: String(error) }],
  }),
});

function readiness({ spec }: Worker, { status }: Deployment): ConditionUpdate {
  const ready = status?.readyReplicas ?? 0;
  const message = `${ready} of ${spec.replicas} replicas are ready`;
  return ready >= spec.replicas
    ? { type: "Ready", status: "True", reason: "AllReady", message }
    : { type: "Ready", status: "False", reason: "RollingOut", message };
}

function deploymentFor({ metadata: { name = "" }, spec }: Worker) {
  const labels = { worker: name };
  const containers = [{ name: "worker", image: spec.image }];
  return {
    metadata: { name, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

export default defineManager({ name: "worker", controllers: [workerController] });

// Whether the exporter runs, by its Deployment and its pods. It is beside the members: when it fails, they go on.
import { type Deployment, Pod } from "@kubewright/api";
import { deploymentIsSettled, deploymentPods, podProblem } from "@kubewright/runtime/workload";
import type { Context } from "../replica-set/context.js";

export type ExporterState =
  /** None is asked for. */
  | { readonly kind: "none" }
  | { readonly kind: "available" }
  /** Nothing is known to be wrong with it. */
  | { readonly kind: "starting" }
  | { readonly kind: "failing"; readonly message: string };

export async function exporterState(ctx: Context, deployment: Deployment): Promise<ExporterState> {
  const { metadata, spec } = deployment;
  if (deploymentIsSettled(deployment)) return { kind: "available" };
  const refused = deployment.status?.conditions?.find(
    ({ type, status }) => type === "ReplicaFailure" && status === "True",
  );
  if (refused) return { kind: "failing", message: `its pod is not created: ${refused.message}` };
  // Only the pods of members are watched: those of the exporter are read while it does not run.
  const found = await ctx.list(Pod, {
    namespace: metadata?.namespace,
    labelSelector: spec?.selector,
    live: true,
  });
  for (const pod of deploymentPods(metadata?.name ?? "", found)) {
    const problem = pod.metadata?.deletionTimestamp === undefined ? podProblem(pod) : undefined;
    if (problem) return { kind: "failing", message: `pod ${pod.metadata?.name}: ${problem.message}` };
  }
  return { kind: "starting" };
}

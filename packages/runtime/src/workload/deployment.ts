// The Deployment of a workload, whose replicas may be an autoscaler's.
import { Deployment, HorizontalPodAutoscaler, type KubeObject } from "@kubewright/api";
import type { AnyResource } from "../controller/kinds.js";
import type { ChildInput, ReconcileContext } from "../controller/reconcile-context.js";
import { autoscaledBy, autoscalerIndex } from "./autoscaling.js";
import { type Part, part } from "./part.js";

/** The part of the reconcile context that keeping a Deployment needs. */
export type DeploymentContext = Pick<
  ReconcileContext<AnyResource, typeof HorizontalPodAutoscaler | typeof Deployment, typeof Deployment>,
  "apply" | "byIndex" | "children" | "delete" | "event"
>;

/**
 * The Deployment that does the work of an object, in its namespace; undefined when there should be none. Its replicas are left
 * to an autoscaler if it has one, which needs `watchAutoscalers(Deployment)`. A change of replicas is recorded in an Event.
 */
export function deploymentPart(
  context: DeploymentContext,
  owner: KubeObject,
  wanted: ChildInput<typeof Deployment> | undefined,
): Part<Deployment> {
  return part(context, Deployment, wanted, async (child) => {
    const { name } = child.metadata;
    const before = context.children(Deployment).find(({ metadata }) => metadata?.name === name);
    const target = autoscaledBy({ kind: Deployment, name, namespace: owner.metadata?.namespace });
    const isAutoscaled = context.byIndex(HorizontalPodAutoscaler, autoscalerIndex, target).length > 0;
    const yields = isAutoscaled ? ["spec.replicas"] : [];
    const after = await context.apply(Deployment, child, { adopt: "orphans", yields });
    reportScaling(context, before, after);
    return after;
  });
}

function reportScaling(
  context: Pick<DeploymentContext, "event">,
  before: Deployment | undefined,
  after: Deployment,
): void {
  const [from, to] = [before?.spec?.replicas, after.spec?.replicas];
  if (from === undefined || to === undefined || from === to) return;
  const note = `Deployment ${after.metadata?.name} was scaled from ${from} to ${to}`;
  context.event({ reason: "Scaled", note, action: "Scale", related: after });
}

// The whole of a common operator: a Deployment that does the work, a Service in front of it, and what to say about them.
import {
  type ConditionUpdate,
  Deployment,
  HorizontalPodAutoscaler,
  type KubeObject,
  type Pod,
  Service,
} from "@kubewright/api";
import type { ReconcileResult } from "../controller/define-controller.js";
import type { AnyResource } from "../controller/kinds.js";
import type { ChildInput, ReconcileContext, StatusOptions } from "../controller/reconcile-context.js";
import { autoscaledBy, autoscalerIndex } from "./autoscaling.js";
import { tellFailure } from "./child-failure.js";
import { type DeploymentCounts, rolloutReport } from "./rollout.js";
import { addressOf, applyService, nodePortsOf } from "./service.js";

/** What the object should consist of. Its children have its own name. */
export interface Workload {
  readonly deployment: ChildInput<typeof Deployment>;
  /** None, if there should be none; one that is there is then deleted. */
  readonly service?: ChildInput<typeof Service> | undefined;
  /** The label of `watchPods`, which holds the object's name on its pods. */
  readonly podLabel: string;
}

/** What is said of the object, whose status must have these fields. */
export interface WorkloadStatus extends Partial<DeploymentCounts> {
  readonly ready?: string | undefined;
  readonly selector?: string | undefined;
  readonly address?: string | undefined;
  readonly nodePorts?: readonly number[] | undefined;
  readonly conditions?: readonly ConditionUpdate[] | undefined;
}

type Children = typeof Deployment | typeof Service;
type Readable = Children | typeof Pod | typeof HorizontalPodAutoscaler;
type WorkloadContext = Omit<ReconcileContext<AnyResource, Readable, Children>, "status"> & {
  status(status: WorkloadStatus, options?: StatusOptions): void;
};

/**
 * Keeps a workload as declared, and its object's status true. Replicas are left to an autoscaler of the Deployment if there
 * is one; what cannot be made as things are is told in the condition Degraded and looked at again.
 *
 * @example
 * defineController(App, {
 *   owns: [Deployment, Service],
 *   watches: [watchPods(label), watchAutoscalers(Deployment)],
 *   reconcile: (app, ctx) => keepWorkload(ctx, app, { deployment: deploymentFor(app), podLabel: label }),
 * });
 */
export async function keepWorkload(
  context: WorkloadContext,
  { metadata }: KubeObject,
  { deployment: wanted, service, podLabel }: Workload,
): Promise<ReconcileResult | undefined> {
  const { name = "", namespace = "" } = metadata ?? {};
  try {
    const deployment = await applyDeployment(context, wanted, namespace);
    const pods = context.pods();
    const { status, options } = rolloutReport(deployment, pods);
    context.status({ ...status, selector: `${podLabel}=${name}` }, options);
    await keepService(context, service);
  } catch (error) {
    return tellFailure(context, error);
  }
  return undefined;
}

/** What is needed of a reconcile's context to keep a Deployment. */
type DeploymentKeeper = Pick<
  ReconcileContext<AnyResource, typeof HorizontalPodAutoscaler | typeof Deployment, typeof Deployment>,
  "apply" | "byIndex"
>;

/**
 * Declares a Deployment, leaving its replicas to an autoscaler if it has one; needs `watchAutoscalers`. One of the same name
 * that is not ours is left alone.
 */
export async function applyDeployment(
  context: DeploymentKeeper,
  wanted: ChildInput<typeof Deployment>,
  namespace: string,
): Promise<Deployment> {
  const target = autoscaledBy({ kind: Deployment, name: wanted.metadata.name, namespace });
  const isAutoscaled = context.byIndex(HorizontalPodAutoscaler, autoscalerIndex, target).length > 0;
  return context.apply(Deployment, wanted, { adopt: false, yields: isAutoscaled ? ["spec.replicas"] : [] });
}

async function keepService(context: WorkloadContext, wanted: Workload["service"]): Promise<void> {
  if (wanted) {
    const service = await applyService(context, wanted);
    context.status({ address: addressOf(service), nodePorts: nodePortsOf(service) });
    return;
  }
  for (const service of context.children(Service)) await context.delete(Service, service);
  context.status({ address: undefined, nodePorts: undefined });
}

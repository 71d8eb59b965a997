// The controller of EtcdClusters: observes, decides one step, carries it out, and looks again.
import { PersistentVolumeClaim, Pod, PodDisruptionBudget, Secret, Service } from "@kubewright/api";
import { annotationsChanged, anyOf, defineController, generationChanged, owned } from "@kubewright/runtime";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { EtcdAccess } from "../client/etcd-access.js";
import type { Context } from "../cluster/context.js";
import { withoutTls } from "../cluster/member-pod.js";
import { nextStep } from "../cluster/next-step.js";
import { observe } from "../cluster/observe.js";
import { type Observed, voters } from "../cluster/observed.js";
import { budgetOf, clientServiceOf, peerServiceOf } from "../cluster/services.js";
import { statusOf } from "../cluster/status.js";
import type { Decision, Step } from "../cluster/step.js";
import { eventOf } from "../cluster/step-events.js";
import { takeStep } from "../cluster/take-step.js";
import { type Reading, readSpec } from "../cluster/wanted.js";

export interface ClusterControllerOptions {
  readonly access: EtcdAccess;
  /** Called after each step that changed something: tests end the operator here. */
  readonly onStep?: ((cluster: EtcdCluster, step: Step) => void) | undefined;
}

/** In milliseconds. */
const pauses = { afterStep: 10, waiting: 1_000, settled: 10_000 } as const;

export const etcdClusterController = ({ access, onStep }: ClusterControllerOptions) =>
  defineController(EtcdCluster, {
    when: anyOf(generationChanged, annotationsChanged),
    owns: [
      owned(Pod, { verbs: ["create", "delete"] }),
      PersistentVolumeClaim,
      Service,
      PodDisruptionBudget,
      Secret,
    ],
    async reconcile(cluster, ctx) {
      const secrets = withoutTls;
      let reading: Reading | undefined;
      const observation = await observe(cluster, ctx, access, undefined, (versions) => {
        reading = readSpec(cluster, versions, secrets);
        return reading.wanted;
      });
      const { observed } = observation;
      await keepServices(cluster, ctx, observed);
      const decision = nextStep(observed);
      const outcome = await takeStep(decision.step, cluster, ctx, observation, { secrets, restore: undefined });
      const failure = outcome.kind === "failed" ? outcome.message : undefined;
      const objections = reading?.objections ?? [];
      ctx.status(statusOf({ cluster, observed, decision, objections, failure, isModel: access.isModel }));
      recordEvents(cluster, ctx, decision, failure, objections);
      if (failure === undefined && isChange(decision.step)) onStep?.(cluster, decision.step);
      return { requeueAfter: pauseAfter(decision, observed, failure) };
    },
  });

async function keepServices(cluster: EtcdCluster, ctx: Context, observed: Observed): Promise<void> {
  if (cluster.spec.paused) return;
  await ctx.apply(Service, peerServiceOf(cluster));
  await ctx.apply(Service, clientServiceOf(cluster));
  const count = observed.membership ? voters(observed).length : observed.knownVoters.length;
  await ctx.apply(PodDisruptionBudget, budgetOf(cluster, count));
}

const isChange = ({ kind }: Step): boolean => kind !== "none" && kind !== "wait";

function pauseAfter({ step }: Decision, { clusterId, membership }: Observed, failure: string | undefined): number {
  if (failure !== undefined) return pauses.waiting;
  if (isChange(step) || (clusterId === undefined && membership)) return pauses.afterStep;
  return step.kind === "wait" ? pauses.waiting : pauses.settled;
}

function recordEvents(
  cluster: EtcdCluster,
  ctx: Context,
  decision: Decision,
  failure: string | undefined,
  objections: Reading["objections"],
): void {
  const { step, phase } = decision;
  const event = failure === undefined ? eventOf(step) : undefined;
  if (event) ctx.event(event);
  if (failure !== undefined) ctx.event({ type: "Warning", reason: "StepFailed", note: `${step.kind}: ${failure}` });
  const before = cluster.status;
  if (phase === "QuorumLost" && before?.phase !== "QuorumLost")
    ctx.event({
      type: "Warning",
      reason: "QuorumLost",
      note: "fewer members answer than are a quorum: nothing can be written, and nothing is removed",
    });
  if (before?.phase === "QuorumLost" && phase !== "QuorumLost")
    ctx.event({ reason: "QuorumRegained", note: "a quorum of members answers again" });
  for (const { reason, message } of objections)
    if (before?.observedGeneration !== cluster.metadata.generation)
      ctx.event({ type: "Warning", reason, note: message });
}

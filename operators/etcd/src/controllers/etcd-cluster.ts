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
import { type Outcome, takeStep } from "../cluster/take-step.js";
import { type Reading, readSpec } from "../cluster/wanted.js";

export interface ClusterControllerOptions {
  readonly access: EtcdAccess;
  /** Called after each step that changed something: tests end the operator here. */
  readonly onStep?: ((cluster: EtcdCluster, step: Step) => void) | undefined;
}

/** In milliseconds. */
const pauses = { afterStep: 10, waiting: 500, lost: 2_000, settled: 10_000 } as const;

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
      const outcome = await takeStep(decision.step, cluster, ctx, observation, {
        secrets,
        restore: undefined,
      });
      const objections = reading?.objections ?? [];
      ctx.status(statusOf({ cluster, observed, decision, objections, outcome, isModel: access.isModel }));
      recordEvents(cluster, ctx, decision, outcome, objections);
      if (outcome.kind === "done" && isChange(decision.step)) onStep?.(cluster, decision.step);
      return { requeueAfter: pauseAfter(decision, observed, outcome) };
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

function pauseAfter(
  { step, phase }: Decision,
  { clusterId, membership }: Observed,
  outcome: Outcome,
): number {
  if (outcome.kind !== "done") return pauses.waiting;
  if (isChange(step) || (clusterId === undefined && membership)) return pauses.afterStep;
  if (step.kind !== "wait" || phase === "Paused") return pauses.settled;
  return phase === "QuorumLost" || phase === "Degraded" ? pauses.lost : pauses.waiting;
}

function recordEvents(
  cluster: EtcdCluster,
  ctx: Context,
  decision: Decision,
  outcome: Outcome,
  objections: Reading["objections"],
): void {
  const { step, phase } = decision;
  const event = outcome.kind === "done" ? eventOf(step) : undefined;
  if (event) ctx.event(event);
  if (outcome.kind === "failed") ctx.event({ type: "Warning", reason: "StepFailed", note: outcome.message });
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

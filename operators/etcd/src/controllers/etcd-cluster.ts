// The controller of EtcdClusters: observes, decides one step, carries it out, and looks again.
import { PersistentVolumeClaim, Pod, PodDisruptionBudget, Secret, Service } from "@kubewright/api";
import {
  annotationsChanged,
  anyOf,
  defineController,
  generationChanged,
  owned,
  used,
} from "@kubewright/runtime";
import type { BackupState } from "@kubewright/runtime/backup";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { keepSchedule } from "../backup/backup-schedule.js";
import { findSnapshot, type RestoreParts, restoreParts } from "../backup/restore-parts.js";
import type { EtcdClient } from "../client/etcd-client.js";
import type { Context } from "../cluster/context.js";
import { growClaims } from "../cluster/grow-claims.js";
import { measure, readCounters } from "../cluster/load.js";
import { placeOf } from "../cluster/member-pod.js";
import { memberLabel, memberName } from "../cluster/names.js";
import { nextStep } from "../cluster/next-step.js";
import { observe } from "../cluster/observe.js";
import { type Observed, voters } from "../cluster/observed.js";
import { budgetOf, clientServiceOf, peerServiceOf } from "../cluster/services.js";
import { Stalls } from "../cluster/stalls.js";
import { statusOf } from "../cluster/status.js";
import type { Decision, Step } from "../cluster/step.js";
import { eventOf } from "../cluster/step-events.js";
import { type Outcome, takeStep } from "../cluster/take-step.js";
import { Vigil } from "../cluster/vigil.js";
import { type Reading, readSpec } from "../cluster/wanted.js";
import { keepCertificates } from "../tls/certificates.js";
import type { BackupControllerOptions } from "./etcd-backup.js";

export interface ClusterControllerOptions extends BackupControllerOptions {
  /** Called after each step that changed something: tests end the operator here. */
  readonly onStep?: ((cluster: EtcdCluster, step: Step) => void) | undefined;
}

/** In milliseconds. */
const pauses = { afterStep: 10, waiting: 500, lost: 2_000, settled: 10_000 } as const;

export const etcdClusterController = ({ access, agentImage, onStep }: ClusterControllerOptions) => {
  const vigil = new Vigil();
  const stalls = new Stalls();
  return defineController(EtcdCluster, {
    when: anyOf(generationChanged, annotationsChanged),
    owns: [
      owned(Pod, { verbs: ["create", "delete"] }),
      PersistentVolumeClaim,
      Service,
      PodDisruptionBudget,
      Secret,
    ],
    uses: [used(EtcdBackup, { verbs: ["create", "delete"] })],
    async reconcile(cluster, ctx) {
      const { isModel } = access;
      const names = namesToCertify(cluster, ctx);
      const { secrets, client, problem } = await keepCertificates(cluster, ctx, names);
      const restore = await restoreOf(cluster, ctx, agentImage);
      const obstacle = typeof restore === "string" ? restore : problem;
      let reading: Reading | undefined;
      const observation = await observe(cluster, ctx, access, {
        tls: client,
        vigil,
        stalls,
        wantedOf: async (versions, clients) => {
          const load = cluster.spec.autoscaling && (await measured(cluster, ctx, clients));
          reading = readSpec(cluster, {
            versions,
            secrets,
            load,
            obstacle,
            certificates: problem,
            now: ctx.now(),
          });
          return reading.wanted;
        },
      });
      const { observed } = observation;
      const { objections, backups } = await keepChildren(cluster, ctx, observed, reading?.objections ?? []);
      const decision = nextStep(observed);
      const means = { secrets, restore: typeof restore === "string" ? undefined : restore };
      const outcome = await takeStep(decision.step, cluster, ctx, observation, means);
      const isStalled = outcome.kind === "waiting" && outcome.isUnconnected;
      stalls.record(cluster.metadata.uid ?? "", isStalled, ctx.now());
      ctx.status(statusOf({ cluster, observed, decision, objections, outcome, isModel, backups }));
      recordEvents(cluster, ctx, decision, outcome, objections);
      recordAlarms(cluster, ctx, observed);
      if (outcome.kind === "done" && isChange(decision.step)) onStep?.(cluster, decision.step);
      return { requeueAfter: pauseAfter(decision, observed, outcome) };
    },
  });
};

/** How the first member gets its data: not at all, by these containers, or a text that says why it cannot yet. */
async function restoreOf(
  cluster: EtcdCluster,
  ctx: Context,
  agentImage: () => Promise<string>,
): Promise<RestoreParts | string | undefined> {
  if (!cluster.spec.restoreFrom || cluster.status?.clusterId !== undefined) return undefined;
  const found = await findSnapshot(cluster, (name) => ctx.get(EtcdBackup, name));
  return typeof found === "string" ? found : restoreParts(cluster, found, await agentImage());
}

async function measured(cluster: EtcdCluster, ctx: Context, clients: ReadonlyMap<string, EtcdClient>) {
  const load = measure(cluster.status?.load, await readCounters(clients), ctx.now());
  ctx.status({ load });
  return load;
}

/** All that surrounds the members. */
async function keepChildren(
  cluster: EtcdCluster,
  ctx: Context,
  observed: Observed,
  objections: Reading["objections"],
): Promise<{ objections: Reading["objections"]; backups: BackupState | undefined }> {
  if (cluster.spec.paused) return { objections, backups: undefined };
  await keepServices(cluster, ctx, observed);
  const growth = await growClaims(cluster, ctx);
  recordScale(cluster, ctx, observed);
  const backups = await keepSchedule(cluster, ctx);
  return { objections: growth ? [...objections, growth] : objections, backups };
}

/** Autoscaling has chosen another size. */
function recordScale(cluster: EtcdCluster, ctx: Context, { wanted }: Observed): void {
  const before = cluster.status?.desiredReplicas;
  if (!cluster.spec.autoscaling || before === undefined || before === wanted.replicas) return;
  ctx.status({ lastScaleTime: new Date(ctx.now()).toISOString() });
  ctx.event({
    reason: "Autoscaled",
    note: `the load needs ${wanted.replicas} members instead of ${before}`,
  });
}

/** Every member there is or may be next has its certificate before its pod is made. */
function namesToCertify(cluster: EtcdCluster, ctx: Context): readonly string[] {
  const { name } = placeOf(cluster);
  const there = ctx.children(Pod).flatMap(({ metadata }) => metadata?.labels?.[memberLabel] ?? []);
  const next = Array.from({ length: there.length + 2 }, (_, ordinal) => memberName(name, ordinal));
  const known = (cluster.status?.members ?? []).map((member) => member.name);
  return [...new Set([...there, ...known, ...next])];
}

async function keepServices(cluster: EtcdCluster, ctx: Context, observed: Observed): Promise<void> {
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

/** Alarms that the status does not show yet. */
function recordAlarms({ status }: EtcdCluster, ctx: Context, { slots }: Observed): void {
  for (const { name, alarms } of slots) {
    const known = status?.members?.find((member) => member.name === name)?.alarms ?? [];
    for (const alarm of alarms.filter((each) => !known.includes(each)))
      ctx.event({ type: "Warning", reason: "AlarmRaised", note: `${name} raised the alarm ${alarm}` });
  }
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
  const isNew = before?.observedGeneration !== cluster.metadata.generation;
  for (const { reason, message } of objections)
    if (isNew || reason === "CertificatesUnusable") ctx.event({ type: "Warning", reason, note: message });
}

// The controller of EtcdBackups: one pod takes one snapshot, and what it reports becomes the status. A backup ends once, well or badly.
import { Pod } from "@kubewright/api";
import { defineController, owned, type ReconcileContext, readOnly } from "@kubewright/runtime";
import { placeOfStore } from "@kubewright/runtime/backup";
import { podProblem } from "@kubewright/runtime/workload";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { snapshotPod } from "../backup/agent-pod.js";
import type { AgentReport } from "../backup/agent-task.js";
import { scheduledRetention } from "../backup/backup-schedule.js";
import type { EtcdAccess } from "../client/etcd-access.js";
import { placeOf } from "../cluster/member-pod.js";
import { backupLabel, memberHost } from "../cluster/names.js";
import { secretForClients } from "../tls/certificates.js";

export interface BackupControllerOptions {
  readonly access: EtcdAccess;
  /** The image that agents run: the operator's own. Rejects where it is not known. */
  readonly agentImage: () => Promise<string>;
}

type Context = ReconcileContext<
  typeof EtcdBackup,
  typeof EtcdBackup | typeof EtcdCluster | typeof Pod,
  typeof Pod
>;

const defaultTimeout = 1_800;
const pause = 2_000;

export const etcdBackupController = ({ access, agentImage }: BackupControllerOptions) =>
  defineController(EtcdBackup, {
    owns: [owned(Pod, { verbs: ["create", "delete"] })],
    uses: [readOnly(EtcdCluster)],
    async reconcile(backup, ctx) {
      const [pod] = ctx.children(Pod);
      if (isOver(backup)) {
        if (pod) await ctx.delete(Pod, pod);
        return undefined;
      }
      const isLate = ctx.now() > beginOf(backup, ctx) + timeoutOf(backup) * 1_000;
      if (pod?.status?.phase === "Succeeded") return succeed(ctx, backup, reportOf(pod));
      if (pod?.status?.phase === "Failed") return fail(ctx, failureOf(pod));
      if (isLate) return fail(ctx, `it took longer than ${timeoutOf(backup)} s${pod ? waitingFor(pod) : ""}`);
      if (pod) return { requeueAfter: pause };
      if (backup.status?.phase === "Running") return fail(ctx, "its pod is gone");
      if (access.isModel) return fail(ctx, "no etcd runs on simulated nodes: there is nothing to back up");
      return agentImage().then(
        (image) => begin(ctx, backup, image),
        (error: unknown) => fail(ctx, error instanceof Error ? error.message : String(error)),
      );
    },
  });

const isOver = ({ status }: EtcdBackup): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";
const timeoutOf = ({ spec }: EtcdBackup): number => spec.timeoutSeconds ?? defaultTimeout;
const beginOf = ({ metadata }: EtcdBackup, ctx: Context): number =>
  Date.parse(metadata.creationTimestamp ?? "") || ctx.now();
const shown = (time: number): string => new Date(time).toISOString();

async function begin(ctx: Context, backup: EtcdBackup, image: string) {
  const { clusterName, target } = backup.spec;
  const cluster = await ctx.get(EtcdCluster, clusterName);
  const healthy = (cluster?.status?.members ?? []).filter(
    ({ healthy: is, role }) => is && role !== "Learner",
  );
  if (!cluster || healthy.length === 0) {
    const message = cluster
      ? `no member of ${clusterName} is healthy`
      : `there is no EtcdCluster ${clusterName}`;
    ctx.status({ phase: "Pending", message });
    return { requeueAfter: pause };
  }
  const name = backup.metadata.name ?? "";
  // Followers first: of several that have applied as much, the leader is spared.
  const ordered = healthy.toSorted((a, b) => Number(a.role === "Leader") - Number(b.role === "Leader"));
  const task = {
    kind: "snapshot",
    store: placeOfStore(target, clusterName),
    hosts: ordered.map((member) => memberHost(placeOf(cluster), member.name)),
    isSecure: cluster.spec.tls?.client !== undefined,
    file: `${name}.db`,
    retention: scheduledRetention(backup, cluster),
    timeout: timeoutOf(backup) * 1_000,
  } as const;
  await ctx.create(Pod, {
    metadata: {
      name: `${name}-snapshot`,
      labels: { "app.kubernetes.io/managed-by": "etcd-operator", [backupLabel]: name },
    },
    spec: snapshotPod(image, task, target, secretForClients(cluster)),
  });
  ctx.event({ reason: "BackupStarted", note: `a snapshot of ${clusterName} is taken` });
  ctx.status({ phase: "Running", startTime: shown(ctx.now()), message: undefined });
  return { requeueAfter: pause };
}

function succeed(ctx: Context, backup: EtcdBackup, report: AgentReport | undefined) {
  if (!report?.sha256) return fail(ctx, "its pod ended well and reported nothing");
  const member = report.host?.split(".")[0];
  ctx.status({
    phase: "Succeeded",
    completionTime: shown(ctx.now()),
    message: undefined,
    file: `${backup.metadata.name}.db`,
    size: report.size,
    sha256: report.sha256,
    revision: report.revision,
    etcdVersion: report.version,
    member,
    conditions: [
      { type: "Complete", status: "True", reason: "SnapshotStored", message: `a snapshot of ${member}` },
    ],
  });
  ctx.event({ reason: "BackupSucceeded", note: `the snapshot is stored, with its checksum in the status` });
}

function fail(ctx: Context, message: string) {
  ctx.status({
    phase: "Failed",
    completionTime: shown(ctx.now()),
    message,
    conditions: [{ type: "Complete", status: "False", reason: "BackupFailed", message }],
  });
  ctx.event({ type: "Warning", reason: "BackupFailed", note: message });
}

const waitingFor = (pod: Pod): string => {
  const problem = podProblem(pod)?.message;
  return problem === undefined ? "" : `: ${problem}`;
};

const lastWords = ({ status }: Pod): string | undefined =>
  status?.containerStatuses?.[0]?.state?.terminated?.message;

/** What the agent wrote when it ended; input from a pod, so nothing is taken for granted. */
export function reportOf(pod: Pod): AgentReport | undefined {
  try {
    const report: unknown = JSON.parse(lastWords(pod) ?? "null");
    return typeof report === "object" && report !== null ? (report as AgentReport) : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(pod: Pod): string {
  return reportOf(pod)?.error ?? pod.status?.message ?? lastWords(pod) ?? "its pod failed; see its log";
}

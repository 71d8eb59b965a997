// The controller of EtcdBackups: one pod takes one snapshot, and what it reports becomes the status. A backup ends once, well or badly.
import { Pod } from "@kubewright/api";
import { defineController, owned, type ReconcileContext, readOnly } from "@kubewright/runtime";
import { agentEnd, agentState } from "@kubewright/runtime/agent";
import { placeOfStore } from "@kubewright/runtime/backup";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { snapshotPod } from "../backup/agent-pod.js";
import { type AgentReport, agentReport } from "../backup/agent-task.js";
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
      const { phase } = backup.status ?? {};
      if (phase === "Succeeded" || phase === "Failed") {
        if (pod) await ctx.delete(Pod, pod);
        return undefined;
      }
      const state = agentState(pod, pod && agentEnd(pod, agentReport), {
        owner: backup,
        now: ctx.now(),
        timeoutSeconds: timeoutOf(backup),
        isStarted: phase === "Running",
        waitsFor: backup.status?.message,
      });
      if (state.kind === "succeeded") return succeed(ctx, backup, state.report, state.startTime);
      if (state.kind === "failed") return fail(ctx, state.message);
      if (state.kind === "running") {
        ctx.status({ phase: "Running", startTime: state.startTime, message: undefined });
        return { requeueAfter: pause };
      }
      if (access.isModel) return fail(ctx, "no etcd runs on simulated nodes: there is nothing to back up");
      return agentImage().then(
        (image) => begin(ctx, backup, image),
        (error: unknown) => fail(ctx, error instanceof Error ? error.message : String(error)),
      );
    },
  });

const timeoutOf = ({ spec }: EtcdBackup): number => spec.timeoutSeconds ?? defaultTimeout;

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
  const pod = await ctx.create(Pod, {
    metadata: {
      name: `${name}-snapshot`,
      labels: { "app.kubernetes.io/managed-by": "etcd-operator", [backupLabel]: name },
    },
    spec: snapshotPod(image, task, target, secretForClients(cluster)),
  });
  ctx.event({ reason: "BackupStarted", note: `a snapshot of ${clusterName} is taken` });
  ctx.status({ phase: "Running", startTime: pod.metadata?.creationTimestamp, message: undefined });
  return { requeueAfter: pause };
}

function succeed(
  ctx: Context,
  backup: EtcdBackup,
  report: AgentReport,
  startTime: string | undefined,
): undefined {
  const member = report.host?.split(".")[0];
  ctx.status({
    phase: "Succeeded",
    // The status may never have shown that it ran.
    startTime: backup.status?.startTime ?? startTime,
    completionTime: new Date(ctx.now()).toISOString(),
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

function fail(ctx: Context, message: string): undefined {
  ctx.status({
    phase: "Failed",
    completionTime: new Date(ctx.now()).toISOString(),
    message,
    conditions: [{ type: "Complete", status: "False", reason: "BackupFailed", message }],
  });
  ctx.event({ type: "Warning", reason: "BackupFailed", note: message });
}

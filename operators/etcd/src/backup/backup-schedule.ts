// Backups of a cluster at certain times: one EtcdBackup for each. They outlive the cluster.
import { isAlreadyExists } from "@kubewright/api";
import { type BackupState, planBackups, type Retention, retentionOf } from "@kubewright/runtime/backup";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { Context } from "../cluster/context.js";
import { placeOf } from "../cluster/member-pod.js";
import { scheduleLabel } from "../cluster/names.js";

/** How many snapshots of a schedule its store keeps; undefined for a backup that somebody asked for. */
export function scheduledRetention(backup: EtcdBackup, cluster: EtcdCluster): Retention | undefined {
  if (backup.metadata.labels?.[scheduleLabel] === undefined) return undefined;
  return retentionOf(placeOf(cluster).name, cluster.spec.backup?.keep);
}

/** Starts the backup that is due, deletes the oldest objects, and states when the next is due. */
export async function keepSchedule(cluster: EtcdCluster, ctx: Context): Promise<BackupState | undefined> {
  const { backup } = cluster.spec;
  if (!backup) return undefined;
  const { namespace, name } = placeOf(cluster);
  const plan = planBackups({
    name,
    ...backup,
    created: Date.parse(cluster.metadata.creationTimestamp ?? "") || ctx.now(),
    now: ctx.now(),
    backups: await ctx.list(EtcdBackup, { namespace, labelSelector: `${scheduleLabel}=${name}` }),
  });
  // The webhook refuses a schedule that cannot be read.
  if (typeof plan === "string") return undefined;
  if (plan.due !== undefined && cluster.status?.clusterId) await start(cluster, ctx, plan.due);
  if (plan.state.next !== undefined) ctx.requeueAt(plan.state.next);
  for (const old of plan.surplus) await ctx.delete(EtcdBackup, old);
  return plan.state;
}

async function start(cluster: EtcdCluster, ctx: Context, backup: string): Promise<void> {
  const { name } = placeOf(cluster);
  try {
    await ctx.create(EtcdBackup, {
      metadata: { name: backup, labels: { [scheduleLabel]: name } },
      spec: { clusterName: name, target: cluster.spec.backup?.target ?? {} },
    });
    ctx.event({ reason: "BackupScheduled", note: "a backup was due and is taken" });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

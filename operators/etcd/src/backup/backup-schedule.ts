// Backups at certain times: one EtcdBackup for each, named after its time, so that no time has two. They outlive the cluster.
import { isAlreadyExists } from "@kubewright/api";
import { type Schedule, ScheduleError, Schedules } from "@kubewright/runtime/schedule";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { Context } from "../cluster/context.js";
import { placeOf } from "../cluster/member-pod.js";
import { scheduleLabel } from "../cluster/names.js";

const defaultKept = 7;
/** A backup is overdue when none has succeeded this long after one was due. */
const patience = 3_600_000;
const schedules = new Schedules();

/** The backups of a schedule, as the status and the conditions show them. */
export interface BackupState {
  readonly lastBackup: string | undefined;
  readonly lastBackupTime: string | undefined;
  readonly isOverdue: boolean;
  readonly message: string;
}

const prefixOf = (cluster: string): string => `${cluster}-scheduled-`;

/** How many snapshots of a schedule its store keeps; undefined for a backup that somebody asked for. */
export function retentionOf(backup: EtcdBackup, cluster: EtcdCluster) {
  if (backup.metadata.labels?.[scheduleLabel] === undefined) return undefined;
  return { prefix: prefixOf(placeOf(cluster).name), keep: cluster.spec.backup?.keep ?? defaultKept };
}

/** Starts the backup that is due, deletes the oldest objects, and states when the next is due. */
export async function keepSchedule(cluster: EtcdCluster, ctx: Context): Promise<BackupState | undefined> {
  const schedule = read(cluster);
  if (!schedule || !cluster.spec.backup) return undefined;
  const { namespace, name } = placeOf(cluster);
  const labelSelector = `${scheduleLabel}=${name}`;
  const listed = await ctx.list(EtcdBackup, { namespace, labelSelector });
  const backups = listed.toSorted((a, b) => timeOf(b) - timeOf(a));
  const created = Date.parse(cluster.metadata.creationTimestamp ?? "") || ctx.now();
  const after = backups[0] ? timeOf(backups[0]) : created;
  const due = latestDue(schedule, after, ctx.now());
  if (due !== undefined && cluster.status?.clusterId) await start(cluster, ctx, due);
  const next = schedule.next(Math.max(ctx.now(), due ?? 0));
  if (next !== undefined) ctx.requeueAt(next);
  await prune(cluster, ctx, backups);
  return stateOf(schedule, backups, created, ctx.now());
}

function read({ spec, metadata }: EtcdCluster): Schedule | undefined {
  if (!spec.backup) return undefined;
  const anchor = Date.parse(metadata.creationTimestamp ?? "") || 0;
  try {
    return schedules.parse(spec.backup.schedule, { timeZone: spec.backup.timeZone, anchor });
  } catch (error) {
    if (error instanceof ScheduleError) return undefined;
    throw error;
  }
}

/** Of several that were missed the latest is made up for. */
function latestDue(schedule: Schedule, after: number, now: number): number | undefined {
  let due: number | undefined;
  for (let at = schedule.next(after), count = 0; at !== undefined && at <= now && count < 10_000; count++) {
    due = at;
    at = schedule.next(at);
  }
  return due;
}

async function start(cluster: EtcdCluster, ctx: Context, due: number): Promise<void> {
  const { name } = placeOf(cluster);
  const stamp = new Date(due).toISOString().replaceAll(/[-:T]|\.\d{3}Z/g, "");
  try {
    await ctx.create(EtcdBackup, {
      metadata: {
        name: `${prefixOf(name)}${stamp}`,
        labels: { [scheduleLabel]: name },
      },
      spec: { clusterName: name, target: cluster.spec.backup?.target ?? {} },
    });
    ctx.event({ reason: "BackupScheduled", note: "a backup was due and is taken" });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** The time in a backup's name. */
function timeOf({ metadata }: EtcdBackup): number {
  const [, y, mo, d, h, mi, s] =
    /-(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(metadata.name ?? "") ?? [];
  return Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s)) || 0;
}

async function prune(cluster: EtcdCluster, ctx: Context, backups: readonly EtcdBackup[]): Promise<void> {
  const ended = backups.filter(({ status }) => status?.phase === "Succeeded" || status?.phase === "Failed");
  for (const old of ended.slice(cluster.spec.backup?.keep ?? defaultKept)) await ctx.delete(EtcdBackup, old);
}

function stateOf(
  schedule: Schedule,
  backups: readonly EtcdBackup[],
  created: number,
  now: number,
): BackupState {
  const last = backups.find(({ status }) => status?.phase === "Succeeded");
  const since = last ? timeOf(last) : created;
  const due = schedule.next(since);
  const isOverdue = due !== undefined && now > due + patience;
  const failed = backups.find(({ status }) => status?.phase === "Failed");
  const why = failed?.status?.message ? `: ${failed.status.message}` : "";
  return {
    lastBackup: last?.metadata.name,
    lastBackupTime: last?.status?.completionTime,
    isOverdue,
    message: isOverdue ? `no backup has succeeded for more than an hour after one was due${why}` : "",
  };
}

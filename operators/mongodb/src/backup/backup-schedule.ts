// Backups of a replica set at certain times: one MongoDBBackup for each. They outlive the replica set.
import { isAlreadyExists, isNotFound } from "@kubewright/api";
import { type BackupState, planBackups, type Retention, retentionOf } from "@kubewright/runtime/backup";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { Context } from "../replica-set/context.js";
import { placeOf, scheduleLabel } from "../replica-set/names.js";
import { isNewestSpec } from "../replica-set/newest.js";

/** How many files of a schedule its store keeps; undefined for a backup that somebody asked for. */
export function scheduledRetention(backup: MongoDBBackup, mongodb: MongoDBCommunity): Retention | undefined {
  if (backup.metadata.labels?.[scheduleLabel] === undefined) return undefined;
  return retentionOf(placeOf(mongodb).name, mongodb.spec.backup?.keep);
}

/** Starts the backup that is due, deletes the oldest objects, and states when the next is due; a text says why the schedule cannot be read. */
export async function keepSchedule(
  mongodb: MongoDBCommunity,
  ctx: Context,
): Promise<BackupState | string | undefined> {
  const { backup, paused } = mongodb.spec;
  if (!backup || paused) return undefined;
  const { namespace, name } = placeOf(mongodb);
  const backups = await scheduled(ctx, namespace, name);
  if (!backups)
    return "spec.backup needs the kind MongoDBBackup: apply the operator's other CustomResourceDefinitions";
  const plan = planBackups({
    name,
    ...backup,
    created: Date.parse(mongodb.metadata.creationTimestamp ?? "") || ctx.now(),
    now: ctx.now(),
    backups,
  });
  if (typeof plan === "string") return `spec.backup.schedule ${JSON.stringify(backup.schedule)}: ${plan}`;
  if (plan.due !== undefined && mongodb.status?.replicaSetId) await start(mongodb, ctx, plan.due);
  if (plan.state.next !== undefined) ctx.requeueAt(plan.state.next);
  // An older spec may keep fewer.
  if (plan.surplus.length > 0 && (await isNewestSpec(mongodb, ctx)))
    for (const old of plan.surplus) await ctx.delete(MongoDBBackup, old);
  return plan.state;
}

/** Undefined where the kind is not installed: MongoDB's own operator has none, and its files install one kind. */
async function scheduled(ctx: Context, namespace: string, name: string) {
  try {
    return await ctx.list(MongoDBBackup, { namespace, labelSelector: `${scheduleLabel}=${name}` });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function start(mongodb: MongoDBCommunity, ctx: Context, backup: string): Promise<void> {
  const { name } = placeOf(mongodb);
  try {
    await ctx.create(MongoDBBackup, {
      metadata: { name: backup, labels: { [scheduleLabel]: name } },
      spec: { clusterName: name, target: mongodb.spec.backup?.target ?? {} },
    });
    ctx.event({ reason: "BackupScheduled", note: "a backup was due and is taken" });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

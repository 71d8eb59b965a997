// The controller of EtcdRestores: makes a new EtcdCluster that begins with a snapshot, and reports what becomes of it.
import { isAlreadyExists, Pod } from "@kubewright/api";
import { defineController, type ReconcileContext, readOnly, used } from "@kubewright/runtime";
import { agentError } from "@kubewright/runtime/agent";
import { EtcdBackup } from "../api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import { EtcdRestore } from "../api/v1alpha1/etcd-restore.js";
import { memberName, restoredByAnnotation } from "../cluster/names.js";

type Context = ReconcileContext<
  typeof EtcdRestore,
  typeof EtcdRestore | typeof EtcdCluster | typeof EtcdBackup | typeof Pod,
  typeof EtcdCluster
>;

const pause = 2_000;
/** A container that fills the volume may fail this often before the restore has failed: storage may be away for a moment. */
const attempts = 3;

export const etcdRestoreController = () =>
  defineController(EtcdRestore, {
    uses: [used(EtcdCluster, { verbs: ["create"] }), readOnly(EtcdBackup), readOnly(Pod)],
    async reconcile(restore, ctx) {
      const { phase } = restore.status ?? {};
      if (phase === "Succeeded" || phase === "Failed") return undefined;
      const { name } = restore.spec.cluster;
      const cluster = await ctx.get(EtcdCluster, name, { live: true });
      if (!cluster) return begin(ctx, restore);
      if (cluster.metadata.annotations?.[restoredByAnnotation] !== restore.metadata.uid)
        return end(ctx, "Failed", `EtcdCluster ${name} already exists: a restore creates a new cluster`);
      const isAvailable = cluster.status?.conditions?.some(
        (each) => each.type === "Available" && each.status === "True",
      );
      if (isAvailable)
        return end(ctx, "Succeeded", `EtcdCluster ${name} has the data, and grows to its size`);
      const failure = failureOf(await ctx.get(Pod, memberName(name, 0), { live: true }));
      if (failure !== undefined) return end(ctx, "Failed", failure);
      ctx.status({ phase: "Restoring", message: cluster.status?.step });
      return { requeueAfter: pause };
    },
  });

async function begin(ctx: Context, restore: EtcdRestore) {
  const { source, cluster } = restore.spec;
  const waits = await backupOf(ctx, source.backupName);
  if (waits?.hasFailed) return end(ctx, "Failed", waits.message);
  if (waits) {
    ctx.status({ phase: "Pending", message: waits.message });
    return { requeueAfter: pause };
  }
  const spec = cluster.spec ?? (await specOf(ctx, source.backupName));
  if (restore.status?.phase === "Restoring")
    return end(ctx, "Failed", `EtcdCluster ${cluster.name} was deleted`);
  try {
    await ctx.create(EtcdCluster, {
      metadata: {
        name: cluster.name,
        annotations: { [restoredByAnnotation]: restore.metadata.uid ?? "" },
      },
      spec: { ...spec, restoreFrom: source } as never,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  ctx.event({ reason: "RestoreStarted", note: `EtcdCluster ${cluster.name} starts with the snapshot` });
  ctx.status({ phase: "Restoring", startTime: new Date(ctx.now()).toISOString() });
  return { requeueAfter: pause };
}

/** What is to be said of a backup that is not there yet, or never will be. */
async function backupOf(ctx: Context, name: string | undefined) {
  if (name === undefined) return undefined;
  const backup = await ctx.get(EtcdBackup, name, { live: true });
  const { phase } = backup?.status ?? {};
  if (phase === "Succeeded") return undefined;
  const message = backup ? `EtcdBackup ${name} is ${phase ?? "new"}` : `there is no EtcdBackup ${name}`;
  return { message, hasFailed: phase === "Failed" };
}

/** The spec of the cluster that the backup is of, without what is about that cluster alone. */
async function specOf(ctx: Context, backupName: string | undefined): Promise<object> {
  const backup = backupName === undefined ? undefined : await ctx.get(EtcdBackup, backupName, { live: true });
  const from = backup && (await ctx.get(EtcdCluster, backup.spec.clusterName, { live: true }));
  if (!from) return {};
  const { restoreFrom: _restoreFrom, backup: _schedule, paused: _paused, ...spec } = from.spec;
  return spec;
}

function failureOf(pod: Pod | undefined): string | undefined {
  for (const { name, restartCount, state, lastState } of pod?.status?.initContainerStatuses ?? []) {
    const ended = state?.terminated ?? lastState?.terminated;
    if (restartCount + 1 < attempts || !ended || ended.exitCode === 0) continue;
    return `${name}: ${agentError(ended.message) ?? ended.message ?? `exit code ${ended.exitCode}`}`;
  }
  return undefined;
}

function end(ctx: Context, phase: "Succeeded" | "Failed", message: string): undefined {
  const isGood = phase === "Succeeded";
  ctx.status({
    phase,
    message,
    completionTime: new Date(ctx.now()).toISOString(),
    conditions: [
      {
        type: "Complete",
        status: isGood ? "True" : "False",
        reason: isGood ? "Restored" : "RestoreFailed",
        message,
      },
    ],
  });
  ctx.event(
    isGood
      ? { reason: "RestoreSucceeded", note: message }
      : { type: "Warning", reason: "RestoreFailed", note: message },
  );
}

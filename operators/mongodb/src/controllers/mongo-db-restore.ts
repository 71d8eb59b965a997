// The controller of MongoDBRestores: one pod writes a backup into a replica set that runs, once.
import { Pod, Secret } from "@kubewright/api";
import { defineController, owned, type ReconcileContext, readOnly } from "@kubewright/runtime";
import { agentState } from "@kubewright/runtime/agent";
import { placeOfStore, type SnapshotTarget } from "@kubewright/runtime/backup";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../api/v1/mongo-db-restore.js";
import { agentPodOf, hostsOf } from "../backup/agent-pod.js";
import type { AgentReport } from "../backup/agent-task.js";
import { partlyRestored } from "../backup/restore-backup.js";
import { agentLogin } from "../replica-set/agent-certificates.js";
import { isSame } from "../replica-set/newest.js";
import type { AgentOptions } from "./agent-options.js";

type Context = ReconcileContext<
  typeof MongoDBRestore,
  typeof MongoDBRestore | typeof MongoDBBackup | typeof MongoDBCommunity | typeof Pod | typeof Secret,
  typeof Pod
>;

const defaultTimeout = 7_200;
const pause = 2_000;

export const mongoRestoreController = ({ access, agentImage }: AgentOptions) =>
  defineController(MongoDBRestore, {
    owns: [owned(Pod, { verbs: ["create", "delete"] })],
    uses: [readOnly(MongoDBCommunity), readOnly(Secret), readOnly(MongoDBBackup)],
    async reconcile(restore, ctx) {
      const { phase } = restore.status ?? {};
      const [seen] = ctx.children(Pod);
      const isStarted = phase === "Restoring";
      // A pod that is recorded and not seen is perhaps only not seen yet.
      const pod =
        seen ??
        (isStarted ? await ctx.get(Pod, `${restore.metadata.name}-restore`, { live: true }) : undefined);
      if (phase === "Succeeded" || phase === "Failed") {
        if (pod) await ctx.delete(Pod, pod);
        return undefined;
      }
      const state = agentState(pod, pod && access.agentEnd(pod), {
        owner: restore,
        now: ctx.now(),
        timeoutSeconds: timeoutOf(restore),
        isStarted,
        waitsFor: restore.status?.message,
      });
      if (state.kind === "succeeded") return succeed(ctx, restore, state.report, state.startTime);
      if (state.kind === "failed")
        return fail(ctx, state.isLost ? `${state.message}; ${partlyRestored}` : state.message);
      if (state.kind === "none") return begin(ctx, restore, agentImage);
      ctx.status({ phase: "Restoring", startTime: state.startTime, message: undefined });
      return { requeueAfter: pause };
    },
  });

const timeoutOf = ({ spec }: MongoDBRestore): number => spec.timeoutSeconds ?? defaultTimeout;

/** A backup that is there. */
interface Found {
  readonly target: Pick<SnapshotTarget, "claim" | "s3">;
  /** The replica set it is of, after which its folder is named by default. */
  readonly cluster: string;
  readonly file: string;
  readonly sha256: string | undefined;
}

type Finding = Found | { readonly message: string; readonly isFinal: boolean };

async function findBackup(ctx: Context, { spec }: MongoDBRestore): Promise<Finding> {
  const { backupName, snapshot } = spec.source;
  if (snapshot) {
    const { claim, s3, file, sha256 } = snapshot;
    return { target: { claim, s3 }, cluster: spec.clusterName, file, sha256 };
  }
  const backup = await ctx.get(MongoDBBackup, backupName ?? "");
  const { phase, file, sha256, message } = backup?.status ?? {};
  if (!backup) return { message: `there is no MongoDBBackup ${backupName}`, isFinal: false };
  if (phase === "Failed")
    return { message: `MongoDBBackup ${backupName} has failed: ${message}`, isFinal: true };
  if (phase !== "Succeeded" || file === undefined)
    return { message: `MongoDBBackup ${backupName} is ${phase ?? "new"}`, isFinal: false };
  return { target: backup.spec.target, cluster: backup.spec.clusterName, file, sha256 };
}

async function begin(ctx: Context, restore: MongoDBRestore, agentImage: () => Promise<string>) {
  const { clusterName, replace = false } = restore.spec;
  // What was written since would be lost if an older view restored a second time.
  const there = await ctx.get(MongoDBRestore, restore.metadata.name ?? "", { live: true });
  if (!isSame(restore, there)) return { requeueAfter: pause };
  const found = await findBackup(ctx, restore);
  if ("message" in found) return found.isFinal ? fail(ctx, found.message) : wait(ctx, found.message);
  const mongodb = await ctx.get(MongoDBCommunity, clusterName);
  if (!mongodb) return wait(ctx, `there is no MongoDBCommunity ${clusterName}`);
  const hosts = hostsOf(mongodb);
  if (hosts.length === 0 || mongodb.status?.primary === undefined)
    return wait(ctx, `no primary of ${clusterName} is healthy`);
  const way = await agentLogin(mongodb, ctx, "restore");
  if (typeof way === "string") return wait(ctx, way);
  let image: string;
  try {
    image = await agentImage();
  } catch (error) {
    return fail(ctx, error instanceof Error ? error.message : String(error));
  }
  const { target, cluster, file, sha256 } = found;
  const task = {
    kind: "restore",
    store: placeOfStore(target, cluster),
    file,
    sha256,
    hosts,
    isSecure: mongodb.spec.security.tls?.enabled === true,
    replace,
    login: way.login,
    timeout: timeoutOf(restore) * 1_000,
  } as const;
  const options = { image, task, target, cluster: clusterName, loginSecret: way.secret };
  const pod = await ctx.create(Pod, agentPodOf(restore.metadata.name ?? "", "restore", options));
  ctx.event({ reason: "RestoreStarted", note: `${file} is written into ${clusterName}` });
  ctx.status({ phase: "Restoring", startTime: pod.metadata?.creationTimestamp, message: undefined });
  return { requeueAfter: pause };
}

function wait(ctx: Context, message: string) {
  ctx.status({ phase: "Pending", message });
  return { requeueAfter: pause };
}

function succeed(
  ctx: Context,
  { spec, status }: MongoDBRestore,
  { databases, collections, documents, users, roles }: AgentReport,
  startTime: string | undefined,
): undefined {
  const message = `${documents} documents in ${collections} collections, ${users} users and ${roles} roles are in ${spec.clusterName}`;
  ctx.status({
    phase: "Succeeded",
    // The status may never have shown that it ran.
    startTime: status?.startTime ?? startTime,
    completionTime: new Date(ctx.now()).toISOString(),
    message,
    databases,
    collections,
    documents,
    users,
    roles,
    conditions: [{ type: "Complete", status: "True", reason: "Restored", message }],
  });
  ctx.event({ reason: "RestoreSucceeded", note: message });
}

function fail(ctx: Context, message: string): undefined {
  ctx.status({
    phase: "Failed",
    completionTime: new Date(ctx.now()).toISOString(),
    message,
    conditions: [{ type: "Complete", status: "False", reason: "RestoreFailed", message }],
  });
  ctx.event({ type: "Warning", reason: "RestoreFailed", note: message });
}

// The controller of MongoDBBackups: one pod takes one backup, and what it reports becomes the status. A backup ends once, well or badly.
import { Pod, Secret } from "@kubewright/api";
import { defineController, owned, type ReconcileContext, readOnly } from "@kubewright/runtime";
import { agentState } from "@kubewright/runtime/agent";
import { placeOfStore } from "@kubewright/runtime/backup";
import { MongoDBBackup } from "../api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { agentPodOf, hostsOf } from "../backup/agent-pod.js";
import type { AgentReport } from "../backup/agent-task.js";
import { scheduledRetention } from "../backup/backup-schedule.js";
import { agentLogin } from "../replica-set/agent-certificates.js";
import { isSame } from "../replica-set/newest.js";
import type { AgentOptions } from "./agent-options.js";

type Context = ReconcileContext<
  typeof MongoDBBackup,
  typeof MongoDBBackup | typeof MongoDBCommunity | typeof Pod | typeof Secret,
  typeof Pod
>;

const defaultTimeout = 1_800;
const pause = 2_000;

export const mongoBackupController = ({ access, agentImage }: AgentOptions) =>
  defineController(MongoDBBackup, {
    owns: [owned(Pod, { verbs: ["create", "delete"] })],
    uses: [readOnly(MongoDBCommunity), readOnly(Secret)],
    async reconcile(backup, ctx) {
      const { phase } = backup.status ?? {};
      const [seen] = ctx.children(Pod);
      const isStarted = phase === "Running";
      // A pod that is recorded and not seen is perhaps only not seen yet.
      const pod =
        seen ??
        (isStarted ? await ctx.get(Pod, `${backup.metadata.name}-backup`, { live: true }) : undefined);
      if (phase === "Succeeded" || phase === "Failed") {
        if (pod) await ctx.delete(Pod, pod);
        return undefined;
      }
      const state = agentState(pod, pod && access.agentEnd(pod), {
        owner: backup,
        now: ctx.now(),
        timeoutSeconds: timeoutOf(backup),
        isStarted,
        waitsFor: backup.status?.message,
      });
      if (state.kind === "succeeded") return succeed(ctx, backup, state.report, state.startTime);
      if (state.kind === "failed") return fail(ctx, state.message);
      if (state.kind === "none") return begin(ctx, backup, agentImage);
      ctx.status({ phase: "Running", startTime: state.startTime, message: undefined });
      return { requeueAfter: pause };
    },
  });

const timeoutOf = ({ spec }: MongoDBBackup): number => spec.timeoutSeconds ?? defaultTimeout;
const fileOf = ({ metadata }: MongoDBBackup): string => `${metadata.name}.backup.gz`;

async function begin(ctx: Context, backup: MongoDBBackup, agentImage: () => Promise<string>) {
  const { clusterName, target } = backup.spec;
  // A backup is taken once, and deletes the files that its replica set no longer keeps: neither is done on an older view.
  const there = await ctx.get(MongoDBBackup, backup.metadata.name ?? "", { live: true });
  if (!isSame(backup, there)) return { requeueAfter: pause };
  const mongodb = await ctx.get(MongoDBCommunity, clusterName, { live: true });
  const hosts = mongodb ? hostsOf(mongodb) : [];
  if (!mongodb) return wait(ctx, `there is no MongoDBCommunity ${clusterName}`);
  if (hosts.length === 0 || mongodb.status?.primary === undefined)
    return wait(ctx, `no primary of ${clusterName} is healthy`);
  const found = await agentLogin(mongodb, ctx, "backup");
  if (typeof found === "string") return wait(ctx, found);
  let image: string;
  try {
    image = await agentImage();
  } catch (error) {
    return fail(ctx, error instanceof Error ? error.message : String(error));
  }
  const task = {
    kind: "backup",
    store: placeOfStore(target, clusterName),
    file: fileOf(backup),
    hosts,
    isSecure: mongodb.spec.security.tls?.enabled === true,
    replicaSet: clusterName,
    retention: scheduledRetention(backup, mongodb),
    login: found.login,
    timeout: timeoutOf(backup) * 1_000,
  } as const;
  const options = { image, task, target, cluster: clusterName, loginSecret: found.secret };
  const pod = await ctx.create(Pod, agentPodOf(backup.metadata.name ?? "", "backup", options));
  ctx.event({ reason: "BackupStarted", note: `a backup of ${clusterName} is taken` });
  ctx.status({ phase: "Running", startTime: pod.metadata?.creationTimestamp, message: undefined });
  return { requeueAfter: pause };
}

function wait(ctx: Context, message: string) {
  ctx.status({ phase: "Pending", message });
  return { requeueAfter: pause };
}

function succeed(
  ctx: Context,
  backup: MongoDBBackup,
  report: AgentReport,
  startTime: string | undefined,
): undefined {
  const { sha256, size, mongodbVersion, consistency, databases, collections, documents } = report;
  ctx.status({
    phase: "Succeeded",
    // The status may never have shown that it ran.
    startTime: backup.status?.startTime ?? startTime,
    completionTime: new Date(ctx.now()).toISOString(),
    message: undefined,
    file: fileOf(backup),
    size,
    sha256,
    member: report.member?.split(".")[0],
    mongodbVersion,
    consistency,
    ...(report.clusterTime === undefined
      ? {}
      : { clusterTime: new Date(report.clusterTime * 1_000).toISOString() }),
    databases,
    collections,
    documents,
    conditions: [
      {
        type: "Complete",
        status: "True",
        reason: "BackupStored",
        message: `it is stored as ${fileOf(backup)}`,
      },
    ],
  });
  ctx.event({ reason: "BackupSucceeded", note: "the backup is stored, with its checksum in the status" });
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

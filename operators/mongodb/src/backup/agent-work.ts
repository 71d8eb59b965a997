// The work of an agent, whatever its members and its store are: it makes the file and stores it, or fetches, checks and writes it.
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hashOfFile, keepNewest, type SnapshotStore } from "@kubewright/runtime/backup";
import type { AgentReport, AgentTask } from "./agent-task.js";
import { PrimaryMember, type PrimaryOptions, type ReachedMember } from "./replica-set.js";
import { restoreBackup } from "./restore-backup.js";
import { takeBackup } from "./take-backup.js";

export interface AgentMeans {
  readonly members: readonly ReachedMember[];
  readonly store: SnapshotStore;
  /** A folder for the file on its way. */
  readonly scratch: string;
  readonly primary: PrimaryOptions;
}

export async function doTask(task: AgentTask, means: AgentMeans): Promise<AgentReport> {
  const file = join(means.scratch, "backup");
  try {
    return task.kind === "backup" ? await backUp(task, means, file) : await restore(task, means, file);
  } finally {
    await rm(file, { force: true });
  }
}

async function backUp(
  task: AgentTask & { readonly kind: "backup" },
  { members, store, primary }: AgentMeans,
  file: string,
): Promise<AgentReport> {
  // Members may elect at the moment, and the agent's user may be newer than its pod.
  await new PrimaryMember(members, primary).command("admin", { ping: 1 });
  const summary = await takeBackup(members, task.replicaSet, file);
  const { size } = await stat(file);
  const sha256 = await hashOfFile(file);
  await store.put(task.file, file, size, sha256);
  await keepNewest(store, task.retention, task.file);
  return { size, sha256, ...summary };
}

async function restore(
  task: AgentTask & { readonly kind: "restore" },
  { members, store, primary }: AgentMeans,
  file: string,
): Promise<AgentReport> {
  await store.get(task.file, file);
  const sha256 = await hashOfFile(file);
  if (task.sha256 !== undefined && task.sha256 !== sha256)
    throw new Error(`${task.file} is damaged: its sha256 is ${sha256}, and ${task.sha256} was recorded`);
  const options = { name: task.file, replace: task.replace };
  const summary = await restoreBackup(new PrimaryMember(members, primary), file, options);
  return { size: (await stat(file)).size, sha256, ...summary };
}

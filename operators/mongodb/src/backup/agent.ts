// The agent as a program: the same image as the operator's, in a pod of its own.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore, storeFolders } from "@kubewright/runtime/backup";
import { DriverMember } from "../client/driver-member.js";
import type { ClientTls } from "../client/mongo-member.js";
import { operatorUser } from "../replica-set/names.js";
import { type AgentReport, type AgentTask, folders, taskVariable } from "./agent-task.js";
import { doTask } from "./agent-work.js";

const terminationLog = "/dev/termination-log";
/** How long a new primary is waited for, and how long between two questions for it, in milliseconds. */
const patience = 60_000;
const pause = 500;
/** In milliseconds. An index over a large collection takes its time. */
const timeouts = { connect: 5_000, command: 30 * 60_000 } as const;

/** The folders of the agent; tests have others. */
export type AgentFolders = typeof folders & typeof storeFolders;
const ownFolders: AgentFolders = { ...folders, ...storeFolders };

/** Does the task of the environment; returns the exit code. */
export async function runAgent(env: Readonly<Record<string, string | undefined>>): Promise<number> {
  try {
    const task = JSON.parse(env[taskVariable] ?? "null") as AgentTask | null;
    if (!task) throw new Error(`${taskVariable} is not set: agents are started by the operator`);
    await report(await runTask(task));
    return 0;
  } catch (error) {
    await report({ error: error instanceof Error ? error.message : String(error) });
    return 1;
  }
}

export async function runTask(
  task: AgentTask,
  at: { readonly [folder in keyof AgentFolders]: string } = ownFolders,
): Promise<AgentReport> {
  const password = (await readFile(join(at.login, "password"), "utf8")).trim();
  const tls = task.isSecure ? await tlsFiles(at.tls) : undefined;
  const members = task.hosts.map((host) => ({
    host,
    member: new DriverMember({
      what: host,
      address: async () => host,
      login: { user: operatorUser, db: "admin", password, mechanism: "SCRAM-SHA-256" },
      tls: tls && { ...tls, serverName: host.replace(/:\d+$/, "") },
      timeouts: {
        connect: Math.min(timeouts.connect, task.timeout),
        command: Math.min(timeouts.command, task.timeout),
      },
    }),
  }));
  try {
    return await doTask(task, {
      members,
      store: await openStore(task.store, at),
      scratch: at.scratch,
      primary: {
        patience,
        now: () => performance.now(),
        pause: () => new Promise((resolve) => setTimeout(resolve, pause)),
      },
    });
  } finally {
    for (const { member } of members) member.close();
  }
}

async function tlsFiles(folder: string): Promise<ClientTls> {
  const ca = await readFile(join(folder, "ca.crt"), "utf8");
  return { ca, certificate: undefined, key: undefined };
}

/** The words of a pod's end are cut at 4096 bytes. */
async function report(result: AgentReport): Promise<void> {
  const text = JSON.stringify(result.error ? { ...result, error: result.error.slice(0, 2_000) } : result);
  process.stdout.write(`${text}\n`);
  await writeFile(terminationLog, text).catch(() => undefined);
}

// The agent as a program: the same image as the operator's, in a pod of its own.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore, storeFolders } from "@kubewright/runtime/backup";
import { DriverMember } from "../client/driver-member.js";
import { loginIn } from "../client/login-files.js";
import type { ClientTls } from "../client/mongo-member.js";
import { type AgentReport, type AgentTask, folders } from "./agent-task.js";
import { doTask } from "./agent-work.js";

/** How long a new primary is waited for, and how long between two questions for it, in milliseconds. */
const patience = 60_000;
const pause = 500;
/** In milliseconds. An index over a large collection takes its time. */
const timeouts = { connect: 5_000, command: 30 * 60_000 } as const;

/** The folders of the agent; tests have others. */
export type AgentFolders = typeof folders & typeof storeFolders;
const ownFolders: AgentFolders = { ...folders, ...storeFolders };

/** Does a task; see `runAgent`. */
export async function runTask(
  task: AgentTask,
  at: { readonly [folder in keyof AgentFolders]: string } = ownFolders,
): Promise<AgentReport> {
  const login = await loginIn(at.login, task.login);
  const tls = task.isSecure ? await tlsFiles(at.tls) : undefined;
  const members = task.hosts.map((host) => ({
    host,
    member: new DriverMember({
      what: host,
      address: async () => host,
      login,
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
        patience: Math.min(patience, task.timeout),
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

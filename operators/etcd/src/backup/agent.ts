// The agent: takes a snapshot of a member to where it is kept, or fetches one to the volume of a first member.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { hashOfFile, keepNewest, openStore } from "@kubewright/runtime/backup";
import type { ClientTls } from "../client/etcd-client.js";
import { defaultDeadlines, NetworkEtcd } from "../client/network-etcd.js";
import { type AgentReport, type AgentTask, folders } from "./agent-task.js";

/** The checksum that etcd puts at the end of a snapshot. */
const checksumLength = 32;

/** Does a task; see `runAgent`. */
export const runTask = (task: AgentTask): Promise<AgentReport> =>
  task.kind === "snapshot" ? takeSnapshot(task) : fetchSnapshot(task);

async function takeSnapshot(task: AgentTask & { kind: "snapshot" }): Promise<AgentReport> {
  const tls = task.isSecure ? await tlsFiles() : undefined;
  const clients = task.hosts.map((host) => ({ host, client: clientOf(host, tls, task.timeout) }));
  const file = join(folders.scratch, "snapshot.db");
  try {
    const { host, client: member, version } = await mostAdvanced(clients);
    const revision = await member.revision();
    await pipeline(member.snapshot(), createWriteStream(file));
    await checkOwnChecksum(file);
    const { size } = await stat(file);
    const sha256 = await hashOfFile(file);
    const store = await openStore(task.store);
    await store.put(task.file, file, size, sha256);
    await keepNewest(store, task.retention, task.file);
    return { size, sha256, revision, version, host };
  } finally {
    for (const { client } of clients) client.close();
    await rm(file, { force: true });
  }
}

interface Choice {
  readonly host: string;
  readonly client: NetworkEtcd;
}

/** The member that has applied most of the log; of several the first. */
async function mostAdvanced(clients: readonly Choice[]): Promise<Choice & { readonly version: string }> {
  const answers = await Promise.all(
    clients.map(async (choice) => {
      const status = await choice.client.status().catch(() => undefined);
      return status?.leader === undefined ? [] : [{ ...choice, ...status }];
    }),
  );
  const [best] = answers.flat().toSorted((a, b) => b.raftAppliedIndex - a.raftAppliedIndex);
  if (!best) throw new Error(`no member answers: ${clients.map(({ host }) => host).join(", ")}`);
  return best;
}

function clientOf(host: string, tls: ClientTls | undefined, timeout: number): NetworkEtcd {
  const open = (port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port });
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
    });
  const address = { what: host, open, clientPort: 2379, metricsPort: 2381 };
  return new NetworkEtcd(
    { ...address, tls: tls && { ...tls, serverName: host } },
    { ...defaultDeadlines, snapshot: timeout },
  );
}

async function tlsFiles(): Promise<ClientTls> {
  const read = (name: string) => readFile(join(folders.tls, name), "utf8");
  return { ca: await read("ca.crt"), certificate: await read("tls.crt"), key: await read("tls.key") };
}

async function fetchSnapshot(task: AgentTask & { kind: "fetch" }): Promise<AgentReport> {
  await mkdir(dirname(task.target), { recursive: true });
  await (await openStore(task.store)).get(task.file, task.target);
  const sha256 = await hashOfFile(task.target);
  if (task.sha256 !== undefined && task.sha256 !== sha256)
    throw new Error(`${task.file} is damaged: its sha256 is ${sha256}, and ${task.sha256} was recorded`);
  await checkOwnChecksum(task.target);
  await rm(task.clear, { recursive: true, force: true });
  return { size: (await stat(task.target)).size, sha256 };
}

/** A snapshot that was cut short has another checksum at its end. */
async function checkOwnChecksum(file: string): Promise<void> {
  const { size } = await stat(file);
  if (size <= checksumLength) throw new Error("the snapshot is empty");
  const end = size - checksumLength;
  const hash = await hashOfFile(file, end);
  const handle: Buffer[] = [];
  for await (const part of createReadStream(file, { start: end })) handle.push(part as Buffer);
  if (Buffer.concat(handle).toString("hex") !== hash)
    throw new Error("the snapshot is damaged: it does not match the checksum at its end");
}

// Replicas that are stopped for longer than their lease and continued, as a paused container or a machine that swaps is, and what the
// server's audit log says about them.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";

export type Mode = "leader" | "shards";

const objects = 40;
/** Milliseconds. */
export const leaseDuration = 2_000;

export interface Campaign {
  readonly program: string;
  readonly folder: string;
  readonly mode: Mode;
  /** How often a replica is stopped. */
  readonly stops: number;
}

/** What replicas did after their lease was another's and before they had one again. */
export interface Findings {
  /** Stops during which another replica took over. */
  takeovers: number;
  /** Writes that the server accepted in all. */
  writes: number;
  /** Writes of a replica that no longer held its lease. */
  readonly lateWrites: string[];
  /** Reconciles begun by one. */
  readonly lateReconciles: string[];
}

/** An event of the audit log, with times in milliseconds. */
interface Entry {
  readonly agent: string;
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly code: number;
  readonly received: number;
  readonly answered: number;
}

class Replica {
  readonly identity: string;
  readonly network: Network;
  readonly begun: { readonly at: number; readonly name: string }[] = [];
  readonly #child: ChildProcess;
  readonly #started: Promise<void>;
  readonly #kubeconfig: string;
  #onBlocked: () => void = () => undefined;

  /** `kubeconfig` leads through the network. */
  constructor(program: string, kubeconfig: string, identity: string, mode: Mode, network: Network) {
    this.identity = identity;
    this.network = network;
    this.#kubeconfig = kubeconfig;
    const stdio = ["pipe", "pipe", "inherit"] as const;
    this.#child = spawn(process.execPath, [program, kubeconfig, identity, mode, String(leaseDuration)], {
      stdio: [...stdio],
    });
    this.#started = new Promise((resolve, reject) => {
      this.#child.once("exit", (code) => reject(new Error(`replica ${identity} ended with ${code}`)));
      if (!this.#child.stdout) return;
      createInterface({ input: this.#child.stdout }).on("line", (line) => {
        const [at = "", name = ""] = line.split(" ");
        if (at === "started") resolve();
        else if (at === "blocked") this.#onBlocked();
        else this.begun.push({ at: Number(at), name });
      });
    });
  }

  started(): Promise<void> {
    return this.#started;
  }

  /**
   * Stops the process where it does the most harm: in a round of its event loop in which TLS handshakes come to their end next, for
   * requests that wait for these connections. No timer is looked at before they are sent.
   */
  async stop(): Promise<void> {
    this.network.breakDown();
    await this.network.connected(6);
    const blocked = new Promise<void>((resolve) => {
      this.#onBlocked = resolve;
    });
    this.#child.stdin?.write("b");
    await blocked;
    this.#child.stdin?.write("s");
    await sleep(20);
    this.network.release();
    await sleep(20);
    writeFileSync(`${this.#kubeconfig}.go`, "");
    await sleep(100);
  }

  continue(): void {
    this.#child.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const over = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await over;
  }
}

/** Stops one of two replicas after the other, and judges by the audit log. */
export async function stopReplicas({ program, folder, mode, stops }: Campaign): Promise<Findings> {
  mkdirSync(folder, { recursive: true });
  const auditLog = join(folder, "audit.log");
  const cluster = await startCluster({ nodes: 0, controllers: "none", auditLog });
  const replicas: Replica[] = [];
  const stopped: { readonly replica: Replica; readonly from: number; readonly to: number }[] = [];
  try {
    const endpoint = await cluster.listen();
    for (let index = 0; index < objects; index++)
      await cluster.client.create(ConfigMap, {
        metadata: { name: `c-${index}`, namespace: "default", labels: { counted: "yes" } },
      });
    for (const identity of ["one", "two"]) {
      const network = new Network(endpoint.port);
      const through = endpoint.kubeconfig.replaceAll(`:${endpoint.port}`, `:${await network.listen()}`);
      const kubeconfig = join(folder, `kubeconfig-${identity}`);
      writeFileSync(kubeconfig, through, { mode: 0o600 });
      replicas.push(new Replica(program, kubeconfig, identity, mode, network));
    }
    await Promise.all(replicas.map((replica) => replica.started()));
    for (let stop = 0; stop < stops; stop++) {
      await changeAll(cluster.client);
      await sleep(leaseDuration / 2);
      const busiest = replicas.reduce((a, b) => (lastBegun(a) > lastBegun(b) ? a : b));
      const replica = mode === "leader" ? busiest : (replicas[stop % 2] ?? busiest);
      const changed = Date.now();
      await changeAll(cluster.client);
      while (lastBegun(replica) < changed && Date.now() < changed + 2_000) await sleep(1);
      await replica.stop();
      const from = Date.now();
      await sleep(leaseDuration);
      await changeAll(cluster.client);
      await sleep(leaseDuration);
      replica.continue();
      stopped.push({ replica, from, to: Date.now() });
      await sleep(leaseDuration);
    }
  } finally {
    for (const replica of replicas) replica.continue();
    await Promise.all(replicas.map((replica) => replica.kill()));
    for (const { network } of replicas) network.close();
    await cluster.close();
  }
  const entries = readEntries(auditLog);
  const findings: Findings = { takeovers: 0, writes: 0, lateWrites: [], lateReconciles: [] };
  findings.writes = entries.filter(({ resource, code }) => resource === "configmaps" && code < 300).length;
  for (const each of stopped) judge(each, entries, mode, findings);
  return findings;
}

/** The network between a replica and the server, which can hold answers up. */
class Network {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #held: (() => void)[] | undefined;

  constructor(target: number) {
    this.#server = createServer((client) => {
      const server = connect(target, "127.0.0.1");
      client.on("data", (chunk) => server.write(chunk));
      server.on("data", (chunk) => {
        const send = (): unknown => client.writable && client.write(chunk);
        if (this.#held) this.#held.push(send);
        else send();
      });
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => undefined);
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    return typeof address === "object" && address ? address.port : 0;
  }

  /** Ends all connections, and holds up what is answered on new ones. */
  breakDown(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#held ??= [];
  }

  /** Resolves when there are as many new connections whose handshake is held up, or after a moment. */
  async connected(count: number): Promise<void> {
    for (let waited = 0; (this.#held?.length ?? 0) < count && waited < 500; waited += 10) await sleep(10);
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Changes all objects, so that there is work for a while. */
async function changeAll(client: Client): Promise<void> {
  const merge = { data: { at: String(Date.now()) } };
  for (let index = 0; index < objects; index++)
    await client.patch(ConfigMap, `c-${index}`, { merge }, { namespace: "default" });
}

const lastBegun = ({ begun }: Replica): number => begun.at(-1)?.at ?? 0;

const leaseOf = (mode: Mode): string => (mode === "leader" ? "counter" : "counter-shards");

/** Finds when the lease, or the map of members, became another's and when the replica was in again. */
function judge(
  { replica, from, to }: { readonly replica: Replica; readonly from: number; readonly to: number },
  entries: readonly Entry[],
  mode: Mode,
  findings: Findings,
): void {
  const { identity } = replica;
  const leases = entries.filter(({ resource, code }) => resource === "leases" && code < 300);
  const lost = leases.find(
    ({ agent, verb, name, answered }) =>
      agent !== identity &&
      verb === "update" &&
      name === leaseOf(mode) &&
      // Sooner, it is about something else that happened before.
      answered > from + leaseDuration / 2 &&
      answered < to,
  );
  if (!lost) return;
  findings.takeovers += 1;
  const isReturn = ({ verb, name }: Entry): boolean =>
    mode === "leader" ? verb === "update" && name === leaseOf(mode) : verb === "create";
  const back = leases.find(
    (entry) => entry.agent === identity && entry.answered > lost.answered && isReturn(entry),
  );
  const isLate = (at: number): boolean =>
    at > lost.answered && at < (back?.received ?? Number.POSITIVE_INFINITY);
  for (const { agent, resource, code, received, name, verb } of entries)
    if (agent === identity && resource === "configmaps" && verb !== "get" && code < 300 && isLate(received))
      findings.lateWrites.push(`${identity} ${verb} ${name} ${Math.round(received - lost.answered)} ms late`);
  for (const { at, name } of replica.begun)
    if (isLate(at))
      findings.lateReconciles.push(`${identity} ${name} ${Math.round(at - lost.answered)} ms late`);
}

interface AuditLine {
  readonly userAgent?: string;
  readonly verb: string;
  readonly stage: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

function readEntries(file: string): readonly Entry[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.flatMap((line) => {
    const event = JSON.parse(line) as AuditLine;
    if (event.stage !== "ResponseComplete" || event.verb === "watch" || event.verb === "list") return [];
    return [
      {
        agent: event.userAgent ?? "",
        verb: event.verb,
        resource: event.objectRef?.resource ?? "",
        name: event.objectRef?.name ?? "",
        code: event.responseStatus?.code ?? 0,
        received: Date.parse(event.requestReceivedTimestamp),
        answered: Date.parse(event.stageTimestamp),
      },
    ];
  });
}

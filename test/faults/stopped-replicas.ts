// Replicas that are stopped for longer than their lease and continued, as a paused container or a machine that swaps is, and what the
// server's audit log says about them.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";

export type Mode = "leader" | "shards";

const objects = 40;
/** Milliseconds. */
export const leaseDuration = 1_500;

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
  readonly begun: { readonly at: number; readonly name: string }[] = [];
  readonly #child: ChildProcess;
  readonly #started: Promise<void>;

  constructor(program: string, kubeconfig: string, identity: string, mode: Mode) {
    this.identity = identity;
    const stdio = ["ignore", "pipe", "inherit"] as const;
    this.#child = spawn(process.execPath, [program, kubeconfig, identity, mode, String(leaseDuration)], {
      stdio: [...stdio],
    });
    this.#started = new Promise((resolve, reject) => {
      this.#child.once("exit", (code) => reject(new Error(`replica ${identity} ended with ${code}`)));
      if (!this.#child.stdout) return;
      createInterface({ input: this.#child.stdout }).on("line", (line) => {
        const [at = "", name = ""] = line.split(" ");
        if (at === "started") resolve();
        else this.begun.push({ at: Number(at), name });
      });
    });
  }

  started(): Promise<void> {
    return this.#started;
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(name);
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
  const kubeconfig = join(folder, "kubeconfig");
  const cluster = await startCluster({ nodes: 0, controllers: "none", auditLog });
  const replicas: Replica[] = [];
  const changes = new AbortController();
  const stopped: { readonly replica: Replica; readonly from: number; readonly to: number }[] = [];
  try {
    writeFileSync(kubeconfig, (await cluster.listen()).kubeconfig, { mode: 0o600 });
    for (let index = 0; index < objects; index++)
      await cluster.client.create(ConfigMap, {
        metadata: { name: `c-${index}`, namespace: "default", labels: { counted: "yes" } },
      });
    for (const identity of ["one", "two"]) replicas.push(new Replica(program, kubeconfig, identity, mode));
    await Promise.all(replicas.map((replica) => replica.started()));
    const changing = changeAll(cluster.client, changes.signal);
    await sleep(leaseDuration);
    for (let stop = 0; stop < stops; stop++) {
      const busiest = replicas.reduce((a, b) => (lastBegun(a) > lastBegun(b) ? a : b));
      const replica = mode === "leader" ? busiest : (replicas[stop % 2] ?? busiest);
      const from = Date.now();
      replica.signal("SIGSTOP");
      await sleep(leaseDuration * 2);
      replica.signal("SIGCONT");
      stopped.push({ replica, from, to: Date.now() });
      await sleep(leaseDuration);
    }
    changes.abort();
    await changing;
  } finally {
    changes.abort();
    for (const replica of replicas) replica.signal("SIGCONT");
    await Promise.all(replicas.map((replica) => replica.kill()));
    await cluster.close();
  }
  const entries = readEntries(auditLog);
  const findings: Findings = { takeovers: 0, writes: 0, lateWrites: [], lateReconciles: [] };
  findings.writes = entries.filter(({ resource, code }) => resource === "configmaps" && code < 300).length;
  for (const each of stopped) judge(each, entries, mode, findings);
  return findings;
}

/** Changes one object after the other, so that news wait for a replica that goes on. */
async function changeAll(client: Client, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    const merge = { data: { count: String(count) } };
    await client.patch(ConfigMap, `c-${count % objects}`, { merge }, { namespace: "default" });
    await sleep(5);
  }
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
      agent !== identity && verb === "update" && name === leaseOf(mode) && answered > from && answered < to,
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

// Processes whose wall clock jumps ahead and back. KUBEWRIGHT_LONG_TESTS=1: more and larger jumps.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap, Deployment, Lease, Node, Pod } from "@kubewright/api";
import { type Client, clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildProgram } from "../durability/killable-server.js";

const hour = 3_600_000;
const day = 24 * hour;
const long = Boolean(process.env["KUBEWRIGHT_LONG_TESTS"]);
const jumps = long
  ? [hour, -2 * hour, day, -day, 400 * day, -399 * day, -10 * day, 10 * day]
  : [day, -2 * day];
const patient = { timeout: 20_000, interval: 200 };
const namespace = "default";
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process whose clock is set from here. */
class Program {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    if (!this.#child.stdout) throw new Error("no output");
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the process has ended");
    return value;
  }

  async jump(milliseconds: number): Promise<void> {
    this.#child.stdin?.write(`${milliseconds}\n`);
    expect(await this.line()).toBe(`jumped ${milliseconds}`);
  }

  async kill(): Promise<void> {
    const over = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await over;
  }
}

async function connect(kubeconfig: string, name: string): Promise<Client> {
  const file = join(folder, name);
  writeFileSync(file, kubeconfig, { mode: 0o600 });
  return clientFromKubeConfig(await loadKubeConfig({ env: { KUBECONFIG: file } }));
}

describe("a cluster whose clock jumps", () => {
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "web:1" }] },
  };

  async function isReady(client: Client, replicas: number): Promise<boolean> {
    const { items: nodes } = await client.list(Node);
    const areReady = nodes.every(({ status }) =>
      status?.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True"),
    );
    const { items: pods } = await client.list(Pod, { namespace, labelSelector: "app=web" });
    const running = pods.filter(
      ({ status, metadata }) => status?.phase === "Running" && !metadata?.deletionTimestamp,
    );
    return areReady && running.length === replicas && pods.length === replicas;
  }

  test("goes on: nodes are ready, pods run, and everything is there after a kill", {
    timeout: 240_000,
  }, async () => {
    const program = await buildProgram(new URL("clock-cluster.ts", import.meta.url), folder);
    const directory = join(folder, "data");
    const start = async () => {
      const started = new Program(program, [directory]);
      const { kubeconfig } = JSON.parse(await started.line());
      return { started, client: await connect(kubeconfig, "cluster") };
    };
    let { started, client } = await start();
    try {
      const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };
      await client.create(Deployment, { metadata: { name: "web", namespace }, spec });
      await expect.poll(() => isReady(client, 1), patient).toBe(true);
      // A node that counts as lost would cost its pods their lives.
      const first = (await client.list(Pod, { namespace })).items[0]?.metadata?.uid;
      let [replicas, version] = [1, 0];
      for (const [index, milliseconds] of jumps.entries()) {
        await started.jump(milliseconds);
        replicas += 1;
        await client.patch(Deployment, "web", { merge: { spec: { replicas } } }, { namespace });
        await expect.poll(() => isReady(client, replicas), patient).toBe(true);
        const { metadata } = await client.create(ConfigMap, { metadata: { name: `c-${index}`, namespace } });
        expect(Number(metadata?.resourceVersion)).toBeGreaterThan(version);
        version = Number(metadata?.resourceVersion);
        // Long enough for nodes to be looked at again.
        if (long) await sleep(12_000);
        const { items } = await client.list(Pod, { namespace });
        expect(items.map((pod) => pod.metadata?.uid)).toContain(first);
        expect(await isReady(client, replicas)).toBe(true);
      }
      await client.close();
      await started.kill();
      // The next process begins with the time of the system, before or after that of the one that was killed.
      ({ started, client } = await start());
      const { items } = await client.list(ConfigMap, { namespace });
      const names = items.map(({ metadata }) => metadata?.name);
      for (const index of jumps.keys()) expect(names).toContain(`c-${index}`);
      await expect.poll(() => isReady(client, replicas), patient).toBe(true);
      const { metadata } = await client.create(ConfigMap, { metadata: { name: "last", namespace } });
      expect(Number(metadata?.resourceVersion)).toBeGreaterThan(version);
    } finally {
      await client.close();
      await started.kill();
    }
  });
});

interface AuditLine {
  readonly userAgent?: string;
  readonly verb: string;
  readonly stage: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** Writes of ConfigMaps by somebody who was not the last to write the lease. Lines stand in the order in which requests were answered. */
function strayWrites(auditLog: string): readonly string[] {
  let holder: string | undefined;
  const stray: string[] = [];
  for (const line of readFileSync(auditLog, "utf8").trim().split("\n")) {
    const { stage, verb, userAgent, objectRef, responseStatus } = JSON.parse(line) as AuditLine;
    if (stage !== "ResponseComplete" || (responseStatus?.code ?? 500) >= 300) continue;
    if (!["create", "update", "patch"].includes(verb)) continue;
    if (objectRef?.resource === "leases") holder = userAgent;
    else if (objectRef?.name?.endsWith("-copy") && userAgent !== holder)
      stray.push(`${userAgent} wrote ${objectRef.name} while ${holder} led`);
  }
  return stray;
}

test("leader election: the leader's clock jumps, and there is one leader at a time who works on", {
  timeout: 120_000,
}, async () => {
  const auditLog = join(folder, "audit.log");
  const cluster = await startCluster({ nodes: 0, controllers: "none", auditLog });
  const replicas = new Map<string, Program>();
  try {
    const program = await buildProgram(new URL("clock-replica.ts", import.meta.url), folder);
    const kubeconfig = join(folder, "replicas");
    writeFileSync(kubeconfig, (await cluster.listen()).kubeconfig, { mode: 0o600 });
    await cluster.client.create(ConfigMap, { metadata: { name: "a", namespace, labels: { copied: "yes" } } });
    for (const identity of ["one", "two"])
      replicas.set(identity, new Program(program, [kubeconfig, identity, "2000"]));
    for (const replica of replicas.values()) expect(await replica.line()).toBe("started");
    const isCopied = async (round: number): Promise<boolean> => {
      const { items } = await cluster.client.list(ConfigMap, { namespace });
      return items.some(
        ({ metadata, data }) => metadata?.name === "a-copy" && data?.["round"] === String(round),
      );
    };
    for (const [round, milliseconds] of [0, ...jumps].entries()) {
      const holder = async () => {
        const { items } = await cluster.client.list(Lease, { namespace });
        return items[0]?.spec?.holderIdentity || undefined;
      };
      await expect.poll(holder, patient).toBeDefined();
      if (milliseconds !== 0) await replicas.get((await holder()) ?? "")?.jump(milliseconds);
      await cluster.client.patch(
        ConfigMap,
        "a",
        { merge: { data: { round: String(round) } } },
        { namespace },
      );
      await expect.poll(() => isCopied(round), patient).toBe(true);
    }
  } finally {
    for (const replica of replicas.values()) await replica.kill();
    await cluster.close();
  }
  expect(strayWrites(auditLog)).toEqual([]);
});

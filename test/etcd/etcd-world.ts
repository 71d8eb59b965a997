// Real etcd on process nodes, with the operator in this process, where it can be ended after any step as if it were killed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CustomResourceDefinition, Pod, Secret, Service } from "@kubewright/api";
import { type Client, ConnectionError, hasCondition, type Middleware, waitFor } from "@kubewright/client";
import { type RunningManager, startManager } from "@kubewright/runtime";
import { EtcdBackup } from "../../operators/etcd/src/api/v1alpha1/etcd-backup.js";
import { EtcdCluster } from "../../operators/etcd/src/api/v1alpha1/etcd-cluster.js";
import { EtcdRestore } from "../../operators/etcd/src/api/v1alpha1/etcd-restore.js";
import { NetworkAccess } from "../../operators/etcd/src/client/etcd-access.js";
import type { ClientTls, EtcdClient } from "../../operators/etcd/src/client/etcd-client.js";
import { NetworkEtcd } from "../../operators/etcd/src/client/network-etcd.js";
import type { Step } from "../../operators/etcd/src/cluster/step.js";
import { isSettled } from "../../operators/etcd/src/controllers/fixtures/cluster-world.js";
import { etcdManager } from "../../operators/etcd/src/manager.js";
import { bundleProgram } from "../bundle.js";
import { eventually, modes, namespace, ProcessCluster } from "../process-nodes/process-cluster.js";
import { images, newest } from "./etcd-binaries.js";

/** Why real etcd cannot run here; undefined where it can. */
export const missing: string | undefined = (() => {
  if (newest === undefined) return "no etcd: npm run etcd:fetch unpacks one";
  const mode = modes.find((each) => each.missing === undefined);
  return mode ? undefined : "process nodes do not work here";
})();

const mode = modes.find((each) => each.missing === undefined);

/** One life of the operator. */
interface Life {
  isCut: boolean;
  readonly access: NetworkAccess;
  manager: RunningManager | undefined;
}

export class EtcdWorld {
  readonly nodes: ProcessCluster;
  readonly client: Client;
  readonly errors: string[] = [];
  /** The steps taken so far, in all lives of the operator in this process, with their times. */
  readonly steps: (Step & { readonly at: number })[] = [];
  #killAfter = Number.POSITIVE_INFINITY;
  #life: Life | undefined;
  readonly #dying: Promise<void>[] = [];

  /** A folder for files of this test. */
  readonly folder: string;
  readonly #tls = new Map<string, ClientTls>();

  private constructor(nodes: ProcessCluster, folder: string) {
    this.folder = folder;
    this.nodes = nodes;
    this.client = nodes.client;
  }

  static async start(): Promise<EtcdWorld> {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-etcd-operator-"));
    const agent = {
      image: agentImage,
      programs: { "/main.mjs": await bundleProgram("operators/etcd/src/main.ts", folder) },
      entrypoint: [process.execPath, "/main.mjs"],
    };
    const bucket = {
      image: "bucket",
      programs: { "/main.mjs": await bundleProgram("test/etcd/bucket-main.ts", folder) },
      entrypoint: [process.execPath, "/main.mjs"],
    };
    const nodes = await ProcessCluster.start(
      { userNamespace: mode?.userNamespace ?? false, images: [...images(), agent, bucket] },
      { nodes: 3 },
    );
    const world = new EtcdWorld(nodes, folder);
    for (const kind of [EtcdCluster, EtcdBackup, EtcdRestore]) {
      const crd = kind.crd();
      await world.client.apply(CustomResourceDefinition, crd);
      await waitFor(
        world.client,
        CustomResourceDefinition,
        crd.metadata?.name ?? "",
        hasCondition("Established"),
      );
    }
    await world.startOperator();
    return world;
  }

  async startOperator(): Promise<void> {
    const access = new NetworkAccess({ path: "forward" });
    const life: Life = { isCut: false, access, manager: undefined };
    this.#life = life;
    const onStep = (_cluster: EtcdCluster, step: Step): void => {
      if (life.isCut) return;
      this.steps.push({ ...step, at: Date.now() });
      if (this.steps.length === this.#killAfter) this.killOperator();
    };
    const definition = etcdManager({ access, onStep, agentImage: async () => agentImage });
    const client = this.nodes.cluster.connect({
      userAgent: "etcd-operator",
      fieldManager: "etcd-operator",
      middleware: [cutting(life)],
    });
    life.manager = await startManager(definition, {
      client,
      namespace,
      webhooks: false,
      leaderElection: false,
      onError: (where, error) => {
        if (!life.isCut) this.errors.push(`${where}: ${error}`);
      },
    });
  }

  /** From now on nothing the operator does reaches the cluster or a member. */
  killOperator(): void {
    const life = this.#life;
    if (!life) return;
    this.#life = undefined;
    life.isCut = true;
    life.access.close();
    if (life.manager) this.#dying.push(life.manager.close().catch(() => undefined));
  }

  get hasOperator(): boolean {
    return this.#life !== undefined;
  }

  /** Kills the operator right after that many further steps. */
  killAfterSteps(count: number): void {
    this.#killAfter = this.steps.length + count;
  }

  async create(name: string, spec: object): Promise<void> {
    await this.client.create(EtcdCluster, {
      metadata: { name, namespace },
      spec: { version: newest, failureGraceSeconds: 15, storage: "1Gi", ...spec } as never,
    });
  }

  async patch(name: string, spec: object): Promise<void> {
    await this.client.patch(EtcdCluster, name, { merge: { spec } as never }, { namespace });
  }

  get(name: string): Promise<EtcdCluster> {
    return this.client.get(EtcdCluster, name, { namespace });
  }

  /** Waits until the cluster is as asked, and settled. */
  async settled(name: string, replicas: number, timeout = 180_000): Promise<EtcdCluster> {
    const isAsAsked = isSettled(replicas);
    return this.until(
      name,
      (cluster) => cluster.status?.replicas === replicas && isAsAsked(cluster),
      timeout,
    );
  }

  async until(
    name: string,
    test: (cluster: EtcdCluster) => boolean,
    timeout = 120_000,
  ): Promise<EtcdCluster> {
    let last: EtcdCluster | undefined;
    await eventually(
      async () => {
        last = await this.get(name);
        return test(last);
      },
      () =>
        `EtcdCluster ${name}: ${JSON.stringify(last?.status, undefined, 1)}\nerrors: ${this.errors.slice(-3).join("\n")}`,
      timeout,
    );
    return last as EtcdCluster;
  }

  async pods(name: string): Promise<readonly Pod[]> {
    const labelSelector = `etcd.database.coreos.com/cluster=${name}`;
    return (await this.client.list(Pod, { namespace, labelSelector })).items;
  }

  /** Takes up the certificates with which clients connect to a cluster. */
  async trust(cluster: string, secret = `${cluster}-client-tls`): Promise<void> {
    const { data = {} } = await this.client.get(Secret, secret, { namespace });
    const text = (name: string) => Buffer.from(data[name] ?? "", "base64").toString("utf8");
    this.#tls.set(cluster, { ca: text("ca.crt"), certificate: text("tls.crt"), key: text("tls.key") });
  }

  /** A client of one member, through a port-forward. */
  member(pod: string, cluster: string, deadline = 5_000): EtcdClient & { close(): void } {
    const tls = this.#tls.get(cluster);
    return new NetworkEtcd(
      {
        what: pod,
        open: (port) => this.client.pods.portForward(pod, port, { namespace }),
        clientPort: 2379,
        metricsPort: 2381,
        tls: tls && { ...tls, serverName: `${pod}.${cluster}-peers.${namespace}.svc` },
      },
      { call: deadline, defragment: 60_000, snapshot: 60_000 },
    );
  }

  /** S3-compatible storage in a pod. */
  async startBucket(): Promise<void> {
    const labels = { app: "bucket" };
    await this.client.create(Service, {
      metadata: { name: "bucket", namespace },
      spec: { selector: labels, ports: [{ port: 9_000 }] },
    });
    await this.nodes.run("bucket", { containers: [{ name: "bucket", image: "bucket" }] }, { labels });
    await this.nodes.ready("bucket");
  }

  /** Sends a signal to the etcd of a member. */
  signal(member: string, signal: NodeJS.Signals): void {
    const pid = pidOf(member);
    if (pid === undefined) throw new Error(`${member} does not run`);
    process.kill(pid, signal);
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(EtcdCluster, name, { namespace, propagationPolicy: "Background" });
    await eventually(
      async () => (await this.pods(name)).length === 0,
      () => `pods of ${name} are still there`,
      40_000,
    );
  }

  async close(): Promise<void> {
    await this.#life?.manager?.close();
    this.#life?.access.close();
    await Promise.all(this.#dying);
    await this.nodes.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const agentImage = "etcd-operator:test";

const cutting =
  (life: Life): Middleware =>
  (next) =>
  async (request) => {
    const refuse = (): never => {
      throw new ConnectionError(`${request.method} ${request.path}: the operator was killed`, "closed");
    };
    if (life.isCut) return refuse();
    const response = await next(request);
    return life.isCut ? refuse() : response;
  };

/** The process of a member's etcd. */
export function pidOf(member: string): number | undefined {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [program = "", ...args] = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      if (/(^|\/)etcd$/.test(program) && args.includes(`--name=${member}`)) return Number(name);
    } catch {
      // It has ended meanwhile.
    }
  }
  return undefined;
}

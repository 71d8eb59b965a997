// The contract of etcd that the operator relies on: one suite against the model and against real etcd, each version that is there.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import type { EtcdClient } from "../../operators/etcd/src/client/etcd-client.js";
import { NetworkEtcd } from "../../operators/etcd/src/client/network-etcd.js";
import { readsIn } from "../../operators/etcd/src/cluster/load.js";
import { ModelledEtcd } from "../../operators/etcd/src/model/modelled-etcd.js";
import { program, versions } from "./etcd-binaries.js";

type Start = "seed" | "join" | "guarded" | "recover";

/** Members that can be started and stopped one by one. */
interface Members {
  peerURL(name: string): Promise<string>;
  /** Starts a member; it may refuse to, and then answers nobody. */
  start(name: string, how: Start): Promise<EtcdClient>;
  /** Ends its process; its data stays. With SIGTERM it writes first how much of its log it knows to be agreed on. */
  stop(name: string, signal?: "SIGTERM"): Promise<void>;
  wipe(name: string): Promise<void>;
  close(): Promise<void>;
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

function flagsFor(name: string, own: string, how: Start, peers: string): readonly string[] {
  if (how === "guarded")
    return ["--initial-cluster=no-data=http://127.0.0.1:1", "--initial-cluster-state=existing"];
  if (how === "join") return [`--initial-cluster=${peers}`, "--initial-cluster-state=existing"];
  const flags = [`--initial-cluster=${name}=${own}`, "--initial-cluster-state=new"];
  return how === "recover" ? [...flags, "--force-new-cluster=true"] : flags;
}

class ModelMembers implements Members {
  readonly #etcd = new ModelledEtcd({ now: () => Date.now(), catchUp: 50 });
  readonly #pods = new Map<string, Pod>();
  readonly #names: string[] = [];
  #uid = 0;

  async peerURL(name: string): Promise<string> {
    if (!this.#names.includes(name)) this.#names.push(name);
    return `http://${name}:2380`;
  }

  async start(name: string, how: Start): Promise<EtcdClient> {
    const own = await this.peerURL(name);
    const peers = this.#names.map((each) => `${each}=http://${each}:2380`).join(",");
    const pod: Pod = {
      metadata: {
        name,
        namespace: "default",
        uid: String(++this.#uid),
        labels: { "etcd.database.coreos.com/cluster": "c" },
      },
      spec: {
        containers: [{ name: "etcd", image: "etcd:v3.5.30", args: [...flagsFor(name, own, how, peers)] }],
      },
      status: { phase: "Running" },
    };
    this.#pods.set(name, pod);
    this.#seen();
    const client = this.#etcd.member({
      pod,
      volume: `volume-${name}`,
      host: name,
      tls: undefined,
      forward: () => Promise.reject(new Error("the model needs no connection")),
    });
    await client.status().catch(() => undefined);
    return client;
  }

  async stop(name: string): Promise<void> {
    this.#pods.delete(name);
    this.#seen();
  }

  async wipe(name: string): Promise<void> {
    this.#etcd.wipe(`volume-${name}`);
  }

  async close(): Promise<void> {}

  #seen(): void {
    this.#etcd.keepOnly("default/c", [...this.#pods.values()]);
  }
}

class RealMembers implements Members {
  readonly #version: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "kubewright-etcd-contract-"));
  readonly #ports = new Map<string, { client: number; peer: number }>();
  readonly #running = new Map<string, { kill(signal: NodeJS.Signals): Promise<void> }>();
  readonly #clients: NetworkEtcd[] = [];

  constructor(version: string) {
    this.#version = version;
  }

  async peerURL(name: string): Promise<string> {
    return `http://127.0.0.1:${(await this.#portsOf(name)).peer}`;
  }

  async start(name: string, how: Start): Promise<EtcdClient> {
    const ports = await this.#portsOf(name);
    const own = await this.peerURL(name);
    const peers = [...this.#ports].map(([each, { peer }]) => `${each}=http://127.0.0.1:${peer}`).join(",");
    const url = `http://127.0.0.1:${ports.client}`;
    const child = spawn(
      program(this.#version, "etcd"),
      [
        `--name=${name}`,
        `--data-dir=${this.#folder}/${name}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${own}`,
        `--initial-advertise-peer-urls=${own}`,
        "--heartbeat-interval=50",
        "--election-timeout=500",
        "--log-level=error",
        "--logger=zap",
        ...flagsFor(name, own, how, peers),
      ],
      { stdio: "ignore" },
    );
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    this.#running.set(name, {
      kill: (signal) => {
        child.kill(signal);
        return ended;
      },
    });
    const client = new NetworkEtcd(
      {
        what: name,
        open: () =>
          new Promise((resolve, reject) => {
            const socket = connect(ports.client, "127.0.0.1");
            socket.once("connect", () => resolve(socket)).once("error", reject);
          }),
        clientPort: ports.client,
        metricsPort: ports.client,
      },
      { call: 2_000, defragment: 10_000, snapshot: 10_000 },
    );
    this.#clients.push(client);
    const end = Date.now() + 8_000;
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver && Date.now() < end && !(await client.status().catch(() => undefined))) await sleep(50);
    return client;
  }

  async stop(name: string, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#running.get(name)?.kill(signal);
    this.#running.delete(name);
  }

  async wipe(name: string): Promise<void> {
    rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([...this.#running.values()].map((running) => running.kill("SIGKILL")));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #portsOf(name: string): Promise<{ client: number; peer: number }> {
    const known = this.#ports.get(name);
    if (known) return known;
    const made = { client: await freePort(), peer: await freePort() };
    this.#ports.set(name, made);
    return made;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Tries until it works: real clusters elect, and check connections for five seconds before they change their members. */
async function eventually<T>(work: () => Promise<T>, timeout = 12_000): Promise<T> {
  for (const end = Date.now() + timeout; ; ) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(50);
    }
  }
}

/** The newest version in every run, all that are there in the whole matrix. */
const tested = process.env["KUBEWRIGHT_ETCD_MATRIX"] ? versions : versions.slice(-1);
const implementations: readonly (readonly [string, () => Members])[] = [
  ["the model", () => new ModelMembers()],
  ...tested.map((version) => [`etcd ${version}`, () => new RealMembers(version)] as const),
];
if (versions.length === 0) test.skip("no etcd: npm run etcd:fetch unpacks one");

describe.each(implementations)("the contract, kept by %s", { timeout: 60_000 }, (_name, make) => {
  const contract = (name: string, body: (members: Members) => Promise<void>): void =>
    test.concurrent(name, async () => {
      const members = make();
      try {
        await body(members);
      } finally {
        await members.close();
      }
    });

  /** A seed, and a second member that votes. */
  async function pair(members: Members): Promise<{ a: EtcdClient; b: EtcdClient; idOfB: string }> {
    const a = await members.start("a", "seed");
    const { id } = await eventually(async () => a.memberAdd(await members.peerURL("b"), { isLearner: true }));
    const b = await members.start("b", "join");
    await eventually(() => a.memberPromote(id));
    return { a, b, idOfB: id };
  }

  contract("a seed leads a cluster of its own, and stores", async (members) => {
    const a = await members.start("a", "seed");
    await eventually(() => a.put("k", "v"));
    expect(await a.get("k")).toBe("v");
    expect(await a.get("none")).toBeUndefined();
    const reads = readsIn(await a.metrics());
    await a.get("k");
    expect(readsIn(await a.metrics())).toBeGreaterThan(reads);
    const status = await a.status();
    expect(status.leader).toBe(status.memberId);
    const list = await a.memberList();
    expect(list).toMatchObject({ clusterId: status.clusterId, members: [{ name: "a", isLearner: false }] });
    expect(await a.alarms()).toEqual([]);
    const before = await a.hashKV();
    await a.put("k", "w");
    expect((await a.hashKV()).revision).toBe(before.revision + 1);
  });

  contract("a learner has no name until it starts, and votes only when it has caught up", async (members) => {
    const a = await members.start("a", "seed");
    const url = await members.peerURL("b");
    const added = await eventually(() => a.memberAdd(url, { isLearner: true }));
    expect(added).toMatchObject({ name: "", isLearner: true, peerURLs: [url] });
    await expect(a.memberAdd(url, { isLearner: true })).rejects.toMatchObject({ code: "exists" });
    await expect(a.memberAdd("http://127.0.0.1:1", { isLearner: true })).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("too many learner"),
    });
    await expect(a.memberPromote(added.id)).rejects.toMatchObject({ code: "not-ready" });
    const b = await members.start("b", "join");
    await eventually(async () =>
      expect(await b.status()).toMatchObject({ isLearner: true, memberId: added.id }),
    );
    await eventually(() => a.memberPromote(added.id));
    const list = await eventually(() => b.memberList());
    expect(list.members.find(({ id }) => id === added.id)).toMatchObject({ name: "b", isLearner: false });
  });

  contract(
    "without a quorum there is no leader and no member list; with one there is again",
    async (members) => {
      const { a } = await pair(members);
      await eventually(() => a.put("k", "v"));
      await members.stop("b");
      await eventually(async () => expect((await a.status()).leader).toBeUndefined());
      await expect(a.memberList()).rejects.toThrow();
      await expect(a.put("k", "w")).rejects.toThrow();
      await members.start("b", "guarded");
      expect(await eventually(() => a.get("k"))).toBeDefined();
      expect((await eventually(() => a.memberList())).members).toHaveLength(2);
    },
  );

  contract("the leader hands over to a voter, and nobody else can", async (members) => {
    const { a, b, idOfB } = await pair(members);
    const { leader, memberId } = await a.status();
    const [from, to, id] = leader === memberId ? [a, b, idOfB] : [b, a, memberId];
    await expect(to.moveLeader(id)).rejects.toThrow();
    await eventually(() => from.moveLeader(id));
    await eventually(async () => expect((await to.status()).leader).toBe(id));
  });

  contract("a removed member is out, and does not come back with its data", async (members) => {
    const { a, idOfB } = await pair(members);
    await expect(a.memberRemove("abcdef")).rejects.toMatchObject({ code: "not-found" });
    await eventually(() => a.memberRemove(idOfB));
    expect((await eventually(() => a.memberList())).members).toMatchObject([{ name: "a" }]);
    await members.stop("b");
    const b = await members.start("b", "guarded");
    await sleep(300);
    await expect(b.memberList()).rejects.toThrow();
    expect((await a.memberList()).members).toHaveLength(1);
  });

  contract("a guarded member starts from its data, and never without", async (members) => {
    const a = await members.start("a", "seed");
    await eventually(() => a.put("k", "v"));
    await members.stop("a");
    const again = await members.start("a", "guarded");
    expect(await eventually(() => again.get("k"))).toBe("v");
    await members.stop("a");
    await members.wipe("a");
    const empty = await members.start("a", "guarded");
    await expect(empty.status()).rejects.toMatchObject({ code: "unavailable" });
  });

  contract("a survivor begins anew from its own data, alone", async (members) => {
    const { a } = await pair(members);
    await eventually(() => a.put("k", "v"));
    await members.stop("b");
    await members.stop("a", "SIGTERM");
    const alone = await members.start("a", "recover");
    expect(await eventually(() => alone.get("k"))).toBe("v");
    expect((await alone.memberList()).members).toMatchObject([{ name: "a" }]);
  });

  contract("history is compacted once", async (members) => {
    const a = await members.start("a", "seed");
    const revision = await eventually(() => a.put("k", "v"));
    await a.put("k", "w");
    await a.compact(revision);
    expect((await a.hashKV()).compactRevision).toBe(revision);
    await expect(a.compact(revision)).rejects.toMatchObject({ code: "refused" });
    await expect(a.compact(revision + 100)).rejects.toMatchObject({ code: "refused" });
    await a.defragment();
    expect(await a.get("k")).toBe("w");
  });
});

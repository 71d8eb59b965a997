// The contract of etcd that the operator relies on: one suite against the model and against real etcd, each version that is there.
import type { Pod } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import type { EtcdClient } from "../../operators/etcd/src/client/etcd-client.js";
import { readsIn } from "../../operators/etcd/src/cluster/load.js";
import { ModelledEtcd } from "../../operators/etcd/src/model/modelled-etcd.js";
import { versions } from "./etcd-binaries.js";
import { eventually, flagsFor, type Members, RealMembers, type Start, sleep } from "./real-members.js";

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

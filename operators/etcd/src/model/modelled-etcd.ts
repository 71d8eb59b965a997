// A model of etcd in place of its processes: for tests in virtual time, and for clusters whose nodes are simulated, where no program runs.
// What it promises is what the operator relies on: membership, learners, quorum, leadership and the rules of starting. One suite
// (test/etcd/contract.test.ts) runs against it and against real etcd.
import type { Pod } from "@kubewright/api";
import { type AccessTarget, clusterOf, type EtcdAccess } from "../client/etcd-access.js";
import { type EtcdClient, EtcdError } from "../client/etcd-client.js";
import { ModelledCluster } from "./modelled-cluster.js";
import { ModelledMemberClient } from "./modelled-member.js";

/** What a volume holds after etcd has started on it. */
interface Data {
  readonly cluster: ModelledCluster;
  readonly memberId: string;
}

/** A process of etcd: one run of a pod's container. */
export interface ModelledProcess {
  readonly pod: string;
  readonly cluster: ModelledCluster;
  readonly memberId: string;
  readonly version: string;
  readonly startedAt: number;
}

export interface ModelOptions {
  /** Set by tests of what needs more than members: nobody is told that it is a model. */
  readonly standsForReal?: boolean | undefined;
  readonly now: () => number;
  /** How long a learner needs to catch up, in milliseconds. */
  readonly catchUp?: number | undefined;
}

export class ModelledEtcd implements EtcdAccess {
  readonly isModel: boolean;
  readonly #options: ModelOptions;
  readonly #volumes = new Map<string, Data>();
  /** By the uid of the pod. */
  readonly #processes = new Map<
    string,
    ModelledProcess & { readonly name: string; readonly place: string }
  >();
  readonly #stopped = new Set<string>();
  #nextId = 1;
  /** Called before each call that changes something; what it throws is the answer. */
  onCall: ((call: string, member: string) => void) | undefined;

  constructor(options: ModelOptions) {
    this.isModel = !options.standsForReal;
    this.#options = options;
  }

  get now(): number {
    return this.#options.now();
  }

  get catchUp(): number {
    return this.#options.catchUp ?? 0;
  }

  /** The process neither answers nor votes until `resume`, as with SIGSTOP or a broken network. */
  stop(member: string): void {
    this.#stopped.add(member);
    this.#connect();
  }

  resume(member: string): void {
    this.#stopped.delete(member);
    this.#connect();
  }

  isStopped(member: string): boolean {
    return this.#stopped.has(member);
  }

  /** The raft cluster that a member belongs to. */
  clusterOf(member: string): ModelledCluster {
    const found = [...this.#processes.values()].findLast(({ name }) => name === member);
    if (!found) throw new Error(`${member} has not started`);
    return found.cluster;
  }

  member(target: AccessTarget): EtcdClient {
    return new ModelledMemberClient(this, target.pod.metadata?.name ?? "", () => this.#process(target));
  }

  keepOnly(cluster: string, pods: readonly Pod[]): void {
    const alive = new Set(pods.filter(isAlive).map(({ metadata }) => metadata?.uid ?? ""));
    for (const [uid, process] of this.#processes) {
      if (process.place !== cluster || alive.has(uid)) continue;
      this.#processes.delete(uid);
    }
    this.#connect();
  }

  /** Every process that is not stopped is connected. */
  #connect(): void {
    const clusters = new Set([...this.#volumes.values()].map(({ cluster }) => cluster));
    for (const cluster of clusters) {
      const before = new Map(cluster.running);
      cluster.running.clear();
      for (const { cluster: own, memberId, name, startedAt } of this.#processes.values()) {
        if (own !== cluster || this.#stopped.has(name) || cluster.removed.has(memberId)) continue;
        cluster.running.set(memberId, before.get(memberId) ?? startedAt);
      }
      cluster.elect();
    }
  }

  #process(target: AccessTarget): ModelledProcess {
    const { metadata } = target.pod;
    const uid = metadata?.uid ?? "";
    const name = metadata?.name ?? "";
    const known = this.#processes.get(uid);
    if (known?.cluster.removed.has(known.memberId))
      throw new EtcdError("unavailable", `${name}: the member has been permanently removed`);
    const data = known ?? this.#start(target);
    if (!known) {
      this.#processes.set(uid, {
        pod: uid,
        name,
        place: clusterOf(target.pod),
        cluster: data.cluster,
        memberId: data.memberId,
        version: versionOf(target.pod),
        startedAt: this.now,
      });
      const member = data.cluster.members.get(data.memberId);
      if (member) member.name = name;
      data.cluster.miscounting.delete(data.memberId);
      this.#connect();
    }
    if (this.#stopped.has(name)) throw new EtcdError("deadline", `${name}: no answer`);
    return this.#processes.get(uid) ?? fail(name);
  }

  /** As etcd starts: from its data, or by its flags. */
  #start({ pod, volume = "" }: AccessTarget): Data {
    const name = pod.metadata?.name ?? "";
    const flags = flagsOf(pod);
    const found = this.#volumes.get(volume);
    if (found && flags.get("force-new-cluster") === "true") return this.#forced(found, volume);
    if (found?.cluster.removed.has(found.memberId))
      throw new EtcdError("unavailable", `${name}: the member has been permanently removed`);
    if (found) return found;
    const peers = new Map((flags.get("initial-cluster") ?? "").split(",").map((each) => split(each)));
    const own = peers.get(name);
    if (own === undefined)
      throw new EtcdError(
        "unavailable",
        `${name}: couldn't find local name "${name}" in the initial cluster configuration`,
      );
    const data =
      flags.get("initial-cluster-state") === "new" ? this.#begun(name, own) : this.#joined(name, own);
    this.#volumes.set(volume, data);
    return data;
  }

  #begun(name: string, peerURL: string): Data {
    const cluster = new ModelledCluster(this.newId());
    const id = this.newId();
    cluster.members.set(id, { id, name, peerURL, isLearner: false });
    return { cluster, memberId: id };
  }

  #joined(name: string, peerURL: string): Data {
    for (const { cluster } of this.#processes.values())
      for (const member of cluster.members.values())
        if (member.peerURL === peerURL && cluster.running.size > 0) return { cluster, memberId: member.id };
    throw new EtcdError("unavailable", `${name}: no member of the cluster knows it`);
  }

  #forced({ cluster: old, memberId }: Data, volume: string): Data {
    const own = old.members.get(memberId);
    const cluster = new ModelledCluster(old.id);
    if (own) cluster.members.set(memberId, { ...own, isLearner: false });
    for (const [key, value] of old.keys) cluster.keys.set(key, value);
    cluster.revision = old.revision;
    cluster.index = old.index + 1;
    cluster.term = old.term + 1;
    const data = { cluster, memberId };
    this.#volumes.set(volume, data);
    return data;
  }

  /** Forgets what a volume holds, as a wiped disk does. */
  wipe(volume: string): void {
    this.#volumes.delete(volume);
  }

  newId(): string {
    return (0xe7cd0000 + this.#nextId++).toString(16);
  }
}

function fail(name: string): never {
  throw new EtcdError("unavailable", `${name}: it has not started`);
}

const isAlive = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined && status?.phase === "Running";

function split(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

function flagsOf({ spec }: Pod): ReadonlyMap<string, string> {
  const args = spec?.containers.find(({ name }) => name === "etcd")?.args ?? [];
  return new Map(args.filter((arg) => arg.startsWith("--")).map((arg) => split(arg.slice(2))));
}

const versionOf = ({ spec }: Pod): string => {
  const image = spec?.containers.find(({ name }) => name === "etcd")?.image ?? "";
  return /:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? "3.5.30";
};

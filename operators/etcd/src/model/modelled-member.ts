// The calls on one member of the model.
import {
  type EtcdAlarm,
  type EtcdClient,
  EtcdError,
  type EtcdMember,
  type KeyHash,
  type MemberList,
  type MemberStatus,
} from "../client/etcd-client.js";
import type { ModelledEtcd, ModelledProcess } from "./modelled-etcd.js";

const pageSize = 4096;

export class ModelledMemberClient implements EtcdClient {
  readonly #etcd: ModelledEtcd;
  readonly #name: string;
  readonly #process: () => ModelledProcess;

  constructor(etcd: ModelledEtcd, name: string, process: () => ModelledProcess) {
    this.#etcd = etcd;
    this.#name = name;
    this.#process = process;
  }

  async memberList(): Promise<MemberList> {
    const cluster = this.#quorum();
    return { clusterId: cluster.id, members: cluster.list() };
  }

  async memberAdd(peerURL: string, { isLearner }: { isLearner: boolean }): Promise<EtcdMember> {
    const cluster = this.#changing("memberAdd");
    const all = [...cluster.members.values()];
    if (all.some((member) => member.peerURL === peerURL))
      throw new EtcdError("exists", "etcdserver: Peer URLs already exists");
    cluster.needEveryVoter(this.#process().memberId);
    if (isLearner && all.some((member) => member.isLearner))
      throw new EtcdError("refused", "etcdserver: too many learner members in cluster");
    const id = this.#etcd.newId();
    cluster.members.set(id, { id, name: "", peerURL, isLearner });
    cluster.index += 1;
    return { id, name: "", peerURLs: [peerURL], isLearner };
  }

  async memberPromote(id: string): Promise<void> {
    const cluster = this.#changing("memberPromote");
    const member = cluster.member(id);
    if (!member.isLearner) throw new EtcdError("refused", "etcdserver: can only promote a learner member");
    const since = cluster.running.get(id);
    if (since === undefined || this.#etcd.now - since < this.#etcd.catchUp)
      throw new EtcdError(
        "not-ready",
        "etcdserver: can only promote a learner member which is in sync with leader",
      );
    member.isLearner = false;
    cluster.index += 1;
  }

  async memberRemove(id: string): Promise<void> {
    this.#changing("memberRemove").remove(id);
  }

  async moveLeader(id: string): Promise<void> {
    const cluster = this.#changing("moveLeader");
    const { memberId } = this.#process();
    if (cluster.leader !== memberId) throw new EtcdError("refused", "etcdserver: not leader");
    if (!cluster.isVoter(id) || !cluster.running.has(id))
      throw new EtcdError("refused", "etcdserver: bad leader transferee");
    cluster.leader = id;
    cluster.term += 1;
  }

  async status(): Promise<MemberStatus> {
    const { cluster, memberId, version } = this.#process();
    cluster.elect();
    const isLearner = cluster.members.get(memberId)?.isLearner ?? false;
    const since = cluster.running.get(memberId) ?? this.#etcd.now;
    const isBehind = isLearner && this.#etcd.now - since < this.#etcd.catchUp;
    const size = pageSize * (4 + cluster.keys.size);
    return {
      clusterId: cluster.id,
      memberId,
      version,
      leader: cluster.leader,
      isLearner,
      dbSize: size,
      dbSizeInUse: size,
      raftIndex: cluster.index,
      raftAppliedIndex: isBehind ? 0 : cluster.index,
      raftTerm: cluster.term,
      errors: [],
    };
  }

  async revision(): Promise<number> {
    return this.#quorum().revision;
  }

  async alarms(): Promise<readonly EtcdAlarm[]> {
    return [...this.#quorum().alarms];
  }

  async disarm({ memberId, type }: EtcdAlarm): Promise<void> {
    const { alarms } = this.#changing("disarm");
    const at = alarms.findIndex((alarm) => alarm.memberId === memberId && alarm.type === type);
    if (at >= 0) alarms.splice(at, 1);
  }

  async compact(revision: number): Promise<void> {
    const cluster = this.#changing("compact");
    if (revision <= cluster.compactRevision)
      throw new EtcdError("refused", "etcdserver: mvcc: required revision has been compacted");
    if (revision > cluster.revision)
      throw new EtcdError("refused", "etcdserver: mvcc: required revision is a future revision");
    cluster.compactRevision = revision;
  }

  async defragment(): Promise<void> {
    this.#etcd.onCall?.("defragment", this.#name);
    this.#process();
  }

  async hashKV(): Promise<KeyHash> {
    const { keys, revision, compactRevision } = this.#process().cluster;
    return { hash: String(keys.size), revision, compactRevision };
  }

  async *snapshot(): AsyncGenerator<Uint8Array, void, undefined> {
    const { keys } = this.#process().cluster;
    yield Buffer.from(JSON.stringify([...keys]));
  }

  async metrics(): Promise<string> {
    return `etcd_mvcc_range_total ${this.#process().cluster.reads}\n`;
  }

  async put(key: string, value: string): Promise<number> {
    const cluster = this.#quorum();
    if (cluster.alarms.some(({ type }) => type === "NOSPACE"))
      throw new EtcdError("refused", "etcdserver: mvcc: database space exceeded");
    cluster.keys.set(key, value);
    cluster.index += 1;
    cluster.revision += 1;
    return cluster.revision;
  }

  async get(key: string): Promise<string | undefined> {
    const cluster = this.#quorum();
    cluster.reads += 1;
    return cluster.keys.get(key);
  }

  #quorum() {
    const { cluster } = this.#process();
    cluster.needQuorum();
    return cluster;
  }

  #changing(call: string) {
    this.#etcd.onCall?.(call, this.#name);
    return this.#quorum();
  }
}

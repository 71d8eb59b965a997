// One raft cluster of the model: its members, its leader and its keys. Members share one store, since what is modelled is membership and
// quorum, not replication; a learner is in sync once it has run for a moment.
import { type AlarmType, type EtcdAlarm, EtcdError, type EtcdMember } from "../client/etcd-client.js";

export interface ModelledMember {
  readonly id: string;
  name: string;
  readonly peerURL: string;
  isLearner: boolean;
}

export class ModelledCluster {
  readonly id: string;
  readonly members = new Map<string, ModelledMember>();
  readonly removed = new Set<string>();
  readonly keys = new Map<string, string>();
  readonly alarms: EtcdAlarm[] = [];
  /** The members whose process runs and is connected, by the time since when. */
  readonly running = new Map<string, number>();
  /** Members that count another one as lost though it is there, until one of the two starts again, as etcd sometimes does. */
  readonly miscounting = new Set<string>();
  reads = 0;
  revision = 1;
  compactRevision = 0;
  index = 4;
  term = 1;
  leader: string | undefined;

  constructor(id: string) {
    this.id = id;
  }

  get voters(): readonly ModelledMember[] {
    return [...this.members.values()].filter(({ isLearner }) => !isLearner);
  }

  get hasQuorum(): boolean {
    const { voters } = this;
    const up = voters.filter(({ id }) => this.running.has(id)).length;
    return voters.length > 0 && up >= Math.floor(voters.length / 2) + 1;
  }

  /** Elects a leader where there is none and can be one. */
  elect(): void {
    const isKept = this.leader !== undefined && this.running.has(this.leader) && this.isVoter(this.leader);
    if (isKept && this.hasQuorum) return;
    const before = this.leader;
    this.leader = this.hasQuorum ? this.voters.find(({ id }) => this.running.has(id))?.id : undefined;
    if (this.leader !== undefined && this.leader !== before) this.term += 1;
  }

  isVoter(id: string): boolean {
    return this.members.get(id)?.isLearner === false;
  }

  needQuorum(): void {
    this.elect();
    if (this.leader === undefined) throw new EtcdError("no-quorum", "etcdserver: no leader");
  }

  /** All voters must be connected to the one asked before the membership grows, as etcd's strict check has it. */
  needEveryVoter(asked: string): void {
    this.needQuorum();
    if (this.miscounting.has(asked) || this.voters.some(({ id }) => !this.running.has(id)))
      throw new EtcdError("not-connected", "etcdserver: unhealthy cluster");
  }

  list(): readonly EtcdMember[] {
    return [...this.members.values()].map(({ id, name, peerURL, isLearner }) => ({
      id,
      name,
      peerURLs: [peerURL],
      isLearner,
    }));
  }

  member(id: string): ModelledMember {
    const found = this.members.get(id);
    if (!found) throw new EtcdError("not-found", "etcdserver: member not found");
    return found;
  }

  remove(id: string): void {
    this.needQuorum();
    const { isLearner } = this.member(id);
    const others = this.voters.filter((voter) => voter.id !== id);
    const up = others.filter((voter) => this.running.has(voter.id)).length;
    if (!isLearner && this.running.has(id) && others.length > 0 && up < Math.floor(others.length / 2) + 1)
      throw new EtcdError("not-connected", "etcdserver: unhealthy cluster");
    if (!isLearner && others.length === 0)
      throw new EtcdError(
        "no-quorum",
        "etcdserver: re-configuration failed due to not enough started members",
      );
    this.members.delete(id);
    this.removed.add(id);
    this.running.delete(id);
    this.index += 1;
    this.elect();
  }

  raise(memberId: string, type: AlarmType): void {
    if (!this.alarms.some((alarm) => alarm.memberId === memberId && alarm.type === type))
      this.alarms.push({ memberId, type });
  }
}

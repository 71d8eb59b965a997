// What a step is decided from: the members as a quorum knows them, the members' own answers, pods, claims, and what is asked for. It is
// gathered anew for every step, and nothing else is known: an operator that was killed half-way finds what is half done in it.
import type { AlarmType, EtcdAlarm, EtcdMember, MemberList, MemberStatus } from "../client/etcd-client.js";

/**
 * How etcd was started. `seed` begins a cluster, `join` joins one, `recover` begins one from the data of a single member. None of them
 * may happen a second time, with an empty volume: they would begin another cluster, or bring back a voter that has forgotten its
 * votes. So as soon as the member has data its pod is started again as `guarded`, which refuses to start without.
 */
export type StartMode = "seed" | "join" | "recover" | "guarded";

export interface ObservedPod {
  readonly start: StartMode;
  readonly hash: string;
  readonly version: string;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  /** It ended and will not be started again, as evicted pods do. */
  readonly hasEnded: boolean;
  readonly createdAt: number;
  /** The last words of etcd, if its container is not running. */
  readonly lastWords: string | undefined;
  readonly node: string | undefined;
  /** Why it does not start, in words for people. */
  readonly problem: string | undefined;
}

export interface ObservedClaim {
  readonly isTerminating: boolean;
  readonly isLost: boolean;
}

/** Everything that has one member's name. */
export interface Slot {
  readonly name: string;
  readonly ordinal: number;
  readonly member: EtcdMember | undefined;
  readonly pod: ObservedPod | undefined;
  readonly claim: ObservedClaim | undefined;
  /** Its own answer; undefined when it gave none. */
  readonly status: MemberStatus | undefined;
  readonly unhealthySince: number | undefined;
  readonly alarms: readonly AlarmType[];
}

/** What is asked for. */
export interface Wanted {
  /** Odd. */
  readonly replicas: number;
  /** The version that members are started as: that of the spec, or the present one where the change is refused. */
  readonly version: string;
  /** The hash of each pod's template. */
  readonly hash: string;
  readonly isPaused: boolean;
  /** In milliseconds. */
  readonly failureGrace: number;
  /** The member to recover from, where that is asked for and was not done yet. */
  readonly recoverFrom: string | undefined;
  /** Why no cluster can be begun yet: the snapshot it is to begin with is not there. */
  readonly obstacle: string | undefined;
  /** The size at which members stop taking writes, in bytes. */
  readonly quota: number;
}

/** Sizes of history, read only while an alarm is raised. */
export interface History {
  readonly revision: number;
  readonly compactRevision: number;
}

export interface Observed {
  readonly now: number;
  readonly cluster: string;
  readonly wanted: Wanted;
  /** The id of the cluster as recorded; undefined until the first member has been seen. */
  readonly clusterId: string | undefined;
  /** The members as a quorum knows them; undefined while no member reaches one. */
  readonly membership: MemberList | undefined;
  /** In the order of their numbers. */
  readonly slots: readonly Slot[];
  /** The names of voters as last recorded, for the time without a quorum. */
  readonly knownVoters: readonly string[];
  readonly history: History | undefined;
  /** Since when this process has seen a quorum without a break: the grace time of a member begins no earlier. */
  readonly watchedSince: number;
  /** Since when every member refuses a change of the membership because it counts another one as lost; undefined while none does. */
  readonly stalledSince: number | undefined;
  /** Alarms of members that were removed. */
  readonly strayAlarms: readonly EtcdAlarm[];
}

export const quorumOf = (voters: number): number => Math.floor(voters / 2) + 1;

/** It answers and follows, or is, a leader. */
export const isReachable = ({ status }: Slot): boolean => status?.leader !== undefined;

/** It answers, and clients are sent to it. */
export const isHealthy = (slot: Slot): boolean =>
  isReachable(slot) && slot.pod?.isReady === true && !slot.pod.isTerminating;

export const hasStarted = ({ member }: Slot): boolean => member !== undefined && member.name !== "";

export const voters = ({ slots }: Observed): readonly Slot[] =>
  slots.filter(({ member }) => member !== undefined && !member.isLearner);

export const learners = ({ slots }: Observed): readonly Slot[] =>
  slots.filter(({ member }) => member?.isLearner === true);

/** The member that most of the answers name as the leader. */
export function leaderOf({ slots }: Observed): Slot | undefined {
  const newest = slots
    .filter(isReachable)
    .toSorted((a, b) => (b.status?.raftTerm ?? 0) - (a.status?.raftTerm ?? 0))[0];
  return slots.find(({ member }) => member !== undefined && member.id === newest?.status?.leader);
}

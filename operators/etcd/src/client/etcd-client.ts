// The contract between the operator and etcd: the calls on one member. Every call has a deadline and rejects with an EtcdError; the
// network client and the model both keep it, and one suite checks both.

/** A member as the member list has it. Ids are hexadecimal, as etcdctl prints them. */
export interface EtcdMember {
  readonly id: string;
  /** Empty until the member has started for the first time. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
}

export interface MemberList {
  readonly clusterId: string;
  readonly members: readonly EtcdMember[];
}

/** The state of one member, by itself. */
export interface MemberStatus {
  readonly clusterId: string;
  readonly memberId: string;
  readonly version: string;
  /** Undefined while the member knows of no leader. */
  readonly leader: string | undefined;
  readonly isLearner: boolean;
  readonly dbSize: number;
  readonly dbSizeInUse: number;
  readonly raftIndex: number;
  readonly raftAppliedIndex: number;
  readonly raftTerm: number;
  readonly errors: readonly string[];
}

export type AlarmType = "NOSPACE" | "CORRUPT";

export interface EtcdAlarm {
  readonly memberId: string;
  readonly type: AlarmType;
}

export interface KeyHash {
  readonly hash: string;
  readonly revision: number;
  readonly compactRevision: number;
}

/** Calls on one member. */
export interface EtcdClient {
  /** The members, as a quorum knows them: rejects while there is none. */
  memberList(): Promise<MemberList>;
  memberAdd(peerURL: string, options: { readonly isLearner: boolean }): Promise<EtcdMember>;
  /** Rejects with `not-ready` until the learner has caught up. */
  memberPromote(id: string): Promise<void>;
  memberRemove(id: string): Promise<void>;
  /** To be asked of the leader. */
  moveLeader(id: string): Promise<void>;
  status(): Promise<MemberStatus>;
  /** A linearizable read: resolves, with the revision, only if the member reaches a quorum. */
  revision(): Promise<number>;
  alarms(): Promise<readonly EtcdAlarm[]>;
  disarm(alarm: EtcdAlarm): Promise<void>;
  compact(revision: number): Promise<void>;
  defragment(): Promise<void>;
  /** The hash of all keys up to a revision; of the newest one without it. */
  hashKV(revision?: number): Promise<KeyHash>;
  /** The whole store, with its checksum in the last 32 bytes. */
  snapshot(): AsyncIterable<Uint8Array>;
  /** The text of the metrics endpoint. */
  metrics(): Promise<string>;
  put(key: string, value: string): Promise<number>;
  get(key: string): Promise<string | undefined>;
}

export type EtcdErrorCode =
  /** Nobody answers. */
  | "unavailable"
  /** No answer in time. Whether the call had an effect is unknown. */
  | "deadline"
  /** The cluster has no leader, or no quorum for the call. */
  | "no-quorum"
  /** The member asked has not been connected to all others for five seconds, by its own count, and so changes no membership. */
  | "not-connected"
  /** A learner has not caught up. */
  | "not-ready"
  | "not-found"
  | "exists"
  | "refused";

/** A failed call on a member. */
export class EtcdError extends Error {
  override readonly name = "EtcdError";
  readonly code: EtcdErrorCode;

  constructor(code: EtcdErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Certificates for calls with TLS, in PEM. */
export interface ClientTls {
  readonly ca: string;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

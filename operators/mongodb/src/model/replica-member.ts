// What a member of the model is at a moment: its configuration, its term, its state, and the primary it follows. The log, elections and
// heartbeats all work on it.
import type { Clock } from "@kubewright/api";
import {
  isArbiter,
  isVoting,
  type MemberConfig,
  type MemberState,
  priorityOf,
  type ReplicaSetConfig,
} from "../client/replica-set-documents.js";
import type { Disk } from "./disk.js";
import type { ModelData } from "./operations.js";
import type { PeerMessage, PeerReply } from "./peer-messages.js";

export interface ReplicationMeans {
  readonly clock: Clock;
  readonly random: () => number;
  readonly disk: Disk;
  readonly data: ModelData;
  /** This member, as host and port. */
  readonly self: string;
  readonly setName: string;
  /** Configurations have terms, as from version 4.4 on. */
  readonly hasTerms: boolean;
  /** How long an empty member copies the data of another, in milliseconds. */
  readonly catchUp: number;
  /** All times are divided by it. */
  readonly speed: number;
  call(host: string, message: PeerMessage): Promise<PeerReply>;
}

/** A state that a member is kept in, as by a failure, and why. */
export interface Held {
  readonly state: MemberState;
  readonly message: string | undefined;
}

const defaults = { heartbeat: 2_000, election: 10_000 } as const;

export class ReplicaMember {
  readonly means: ReplicationMeans;
  isRunning = false;
  state: MemberState = "STARTUP";
  /** The primary, as far as this member knows. */
  primary: string | undefined;
  primaryHeardAt = Number.NEGATIVE_INFINITY;
  held: Held | undefined;
  /** Called when it stops being primary, or sees that it is none. */
  onResign: (wasPrimary: boolean) => void = () => undefined;

  constructor(means: ReplicationMeans) {
    this.means = means;
  }

  get config(): ReplicaSetConfig | undefined {
    return this.means.disk.config;
  }
  get term(): number {
    return this.means.disk.vote.term;
  }
  get isPrimary(): boolean {
    return this.state === "PRIMARY";
  }
  get own(): MemberConfig | undefined {
    return this.config?.members.find(({ host }) => host === this.means.self);
  }
  get now(): number {
    return this.means.clock.monotonic();
  }

  get electionTimeout(): number {
    const given = Number(this.config?.settings?.["electionTimeoutMillis"] ?? defaults.election);
    return given / this.means.speed;
  }
  get heartbeatInterval(): number {
    const given = Number(this.config?.settings?.["heartbeatIntervalMillis"] ?? defaults.heartbeat);
    return given / this.means.speed;
  }

  /** Takes the state that follows from the configuration and the log. */
  enter(): void {
    const { own, config } = this;
    if (!config) this.state = "STARTUP";
    else if (!own) {
      this.resign();
      this.state = "REMOVED";
    } else if (isArbiter(own)) this.state = "ARBITER";
    else if (this.isPrimary) {
      if (!isVoting(own) || priorityOf(own) === 0) this.resign();
    } else if (this.held) this.state = this.held.state;
    else this.state = this.means.disk.log.length === 0 ? "STARTUP2" : "SECONDARY";
  }

  resign(): void {
    const wasPrimary = this.isPrimary;
    if (wasPrimary) {
      this.state = "SECONDARY";
      this.primary = undefined;
      this.primaryHeardAt = this.now;
    }
    this.onResign(wasPrimary);
  }

  /** A newer term ends whatever this member was in the one before. */
  setTerm(term: number): void {
    if (term <= this.term) return;
    this.means.disk.setVote({ term, votedFor: undefined });
    this.primary = undefined;
    this.resign();
  }
}

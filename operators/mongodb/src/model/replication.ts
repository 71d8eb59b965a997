// Replication in the model: elections by terms and majorities, a log that the primary sends to the others, and configurations that
// spread with heartbeats. All of it runs on a clock that may be virtual. It follows MongoDB's protocol in what an operator can see:
// states, terms, votes, what a majority has, which configuration wins.
import {
  isVoting,
  type MemberConfig,
  type MemberState,
  majorityOf,
  priorityOf,
  type ReplicaSetConfig,
} from "../client/replica-set-documents.js";
import { CommandError, notPrimary } from "./command-error.js";
import { isNewer, isSame } from "./config-rules.js";
import { Elections } from "./elections.js";
import { Heartbeats } from "./heartbeats.js";
import type { LogEntry, Operation } from "./operations.js";
import type { PeerMessage, PeerReply } from "./peer-messages.js";
import { type Peer, Peers } from "./peers.js";
import { ReplicaMember, type ReplicationMeans } from "./replica-member.js";
import { ReplicatedLog } from "./replicated-log.js";

export class Replication {
  readonly #means: ReplicationMeans;
  readonly #member: ReplicaMember;
  readonly #peers = new Peers();
  readonly #log: ReplicatedLog;
  readonly #elections: Elections;
  readonly #heartbeats: Heartbeats;

  constructor(means: ReplicationMeans) {
    this.#means = means;
    const member = new ReplicaMember(means);
    this.#member = member;
    this.#log = new ReplicatedLog(member, this.#peers);
    this.#elections = new Elections(member, this.#log, () => this.#lead());
    this.#heartbeats = new Heartbeats(member, this.#peers, this.#log, (config) => this.install(config));
    member.onResign = (wasPrimary) => {
      if (wasPrimary)
        this.#log.rejectWaiters(
          new CommandError(189, "PrimarySteppedDown", "operation was interrupted: primary stepped down"),
        );
      this.#elections.await();
    };
  }

  get config(): ReplicaSetConfig | undefined {
    return this.#member.config;
  }
  get term(): number {
    return this.#member.term;
  }
  get state(): MemberState {
    return this.#member.state;
  }
  get isPrimary(): boolean {
    return this.#member.isPrimary;
  }
  /** The primary, as far as this member knows. */
  get primary(): string | undefined {
    return this.#member.primary;
  }
  get own(): MemberConfig | undefined {
    return this.#member.own;
  }
  get lastEntry(): LogEntry | undefined {
    return this.#log.last;
  }
  /** Up to where a majority has the log, as far as this member knows. */
  get committed(): number {
    return this.#log.committed;
  }
  /** Why the member is in its state, in mongod's words; undefined where that needs none. */
  get infoMessage(): string | undefined {
    return this.#member.held?.message;
  }
  peer(host: string): Peer {
    return this.#peers.of(host);
  }

  start(): void {
    this.#member.isRunning = true;
    this.#member.enter();
    this.#heartbeats.start();
    this.#elections.await();
  }

  stop(): void {
    this.#member.isRunning = false;
    this.#heartbeats.stop();
    this.#elections.stop();
    this.#log.rejectWaiters(new CommandError(11600, "InterruptedAtShutdown", "the process ends"));
  }

  /** Keeps a member that is not primary in a state, as a failure would; it follows nobody meanwhile. */
  hold(state: MemberState, message?: string): void {
    this.#member.held = { state, message };
    this.#member.enter();
  }

  release(): void {
    this.#member.held = undefined;
    this.#member.enter();
  }

  /** Begins a replica set of which this member has the configuration first. */
  initiate(config: ReplicaSetConfig, operations: readonly Operation[]): void {
    const { disk } = this.#means;
    disk.setVote({ term: 0, votedFor: undefined });
    disk.setConfig(config);
    this.#log.append({ kind: "noop" });
    for (const operation of operations) this.#log.append(operation);
    this.#member.enter();
    void this.#elections.stand({ isHandOver: true });
    this.#heartbeats.sendAll();
  }

  /** Takes a configuration that was checked, and spreads it. */
  install(config: ReplicaSetConfig): void {
    this.#means.disk.setConfig(config);
    this.#member.enter();
    this.#heartbeats.sendAll();
    this.#log.advance();
  }

  /** Whether a majority of the voters has the configuration of this member. */
  isConfigCommitted(): boolean {
    const { config } = this;
    if (!config) return false;
    const voters = config.members.filter(isVoting);
    const count = voters.filter(({ host }) => this.#has(host, config)).length;
    return count >= majorityOf(voters.length);
  }

  #has(host: string, config: ReplicaSetConfig): boolean {
    if (host === this.#means.self) return true;
    const { reply } = this.peer(host);
    return reply !== undefined && isSame(config, { version: reply.configVersion, term: reply.configTerm });
  }

  /** Writes; resolves once as many members have it as `isMajority` asks for. */
  async write(operation: Operation, { isMajority }: { readonly isMajority: boolean }): Promise<void> {
    if (!this.isPrimary) throw notPrimary();
    const index = this.#log.append(operation);
    this.#heartbeats.sendAll();
    this.#log.advance();
    if (isMajority) await this.#log.reached(index);
  }

  /** Members that could follow this primary now. */
  #successors(): readonly string[] {
    const last = this.lastEntry?.index ?? 0;
    return (this.config?.members ?? [])
      .filter((member) => member.host !== this.#means.self && isVoting(member) && priorityOf(member) > 0)
      .map(({ host }) => host)
      .filter((host) => {
        const { reply, heardAt, matched } = this.peer(host);
        return heardAt !== undefined && reply?.state === "SECONDARY" && matched >= last;
      });
  }

  /** Steps down for a time; false when nobody could follow. */
  stepDown(seconds: number, { isForced }: { readonly isForced: boolean }): boolean {
    const [successor] = this.#successors();
    if (successor === undefined && !isForced) return false;
    const { self, setName, speed } = this.#means;
    this.#elections.frozenUntil = this.#member.now + (seconds * 1_000) / speed;
    this.#member.resign();
    if (successor !== undefined)
      void this.#means
        .call(successor, { kind: "stand", from: self, set: setName, term: this.term })
        .catch(() => undefined);
    return true;
  }

  /** Stands for election though there may be a primary; false when it was not elected. */
  async stepUp(): Promise<boolean> {
    await this.#elections.stand({ isHandOver: true });
    return this.isPrimary;
  }

  /** Which of these members answer, with what they answered. */
  async ask(hosts: readonly string[]): Promise<ReadonlyMap<string, PeerReply>> {
    const { self, setName } = this.#means;
    const replies = new Map<string, PeerReply>();
    await Promise.all(
      hosts.map(async (host) => {
        const reply =
          host === self
            ? this.#answer()
            : await this.#means.call(host, { kind: "ask", from: self, set: setName }).catch(() => undefined);
        if (reply) replies.set(host, reply);
      }),
    );
    return replies;
  }

  receive(message: PeerMessage): PeerReply {
    if (message.set !== this.#means.setName)
      throw new CommandError(
        93,
        "InconsistentReplicaSetNames",
        `this member is of ${this.#means.setName}, not of ${message.set}`,
      );
    switch (message.kind) {
      case "ask":
        return this.#answer();
      case "vote": {
        const isGranted = this.#elections.voteOn(message);
        return this.#answer({ isGranted });
      }
      case "stand":
        if (message.term === this.term) void this.#elections.stand({ isHandOver: true });
        return this.#answer();
      case "heartbeat":
        return this.#heartbeatFrom(message);
    }
  }

  #answer(extra: Partial<PeerReply> = {}): PeerReply {
    const { lastEntry, config } = this;
    return {
      set: this.#means.setName,
      term: this.term,
      state: this.state,
      lastIndex: lastEntry?.index ?? 0,
      lastTerm: lastEntry?.term ?? 0,
      lastAt: lastEntry?.at ?? 0,
      isInitialized: config !== undefined,
      configVersion: config?.version,
      configTerm: config?.term,
      ...extra,
    };
  }

  #heartbeatFrom(message: PeerMessage & { kind: "heartbeat" }): PeerReply {
    const member = this.#member;
    const isNew = isNewer(message.config, this.config);
    const isOfIt = message.config.members.some(({ host }) => host === this.#means.self);
    // A member that belongs to no set takes only a configuration that names it.
    if (isNew && (this.config || isOfIt)) this.install(message.config);
    if (!this.config) return this.#answer();
    if (message.term > this.term) member.setTerm(message.term);
    const config = isNewer(this.config, message.config) ? this.config : undefined;
    if (!message.isPrimary || message.term < this.term) return this.#answer({ config });
    member.primary = message.from;
    member.primaryHeardAt = member.now;
    this.#elections.await();
    const isBearing = this.state !== "ARBITER" && this.state !== "REMOVED";
    return this.#answer({ config, matched: isBearing ? this.#log.follow(message) : undefined });
  }

  #lead(): void {
    const member = this.#member;
    const { disk, hasTerms, self } = this.#means;
    member.state = "PRIMARY";
    member.primary = self;
    this.#peers.forget((this.lastEntry?.index ?? 0) + 1, member.now);
    if (hasTerms && disk.config) disk.setConfig({ ...disk.config, term: this.term });
    this.#log.append({ kind: "noop" });
    this.#heartbeats.sendAll();
    this.#log.advance();
  }
}

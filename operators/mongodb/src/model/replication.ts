// Replication in the model: elections by terms and majorities, a log that the primary sends to the others, and configurations that
// spread with heartbeats. All of it runs on a clock that may be virtual. It follows MongoDB's protocol in what an operator can see:
// states, terms, votes, what a majority has, which configuration wins.
import type { Clock, Timer } from "@kubewright/api";
import {
  isArbiter,
  isVoting,
  type MemberConfig,
  type MemberState,
  majorityOf,
  priorityOf,
  type ReplicaSetConfig,
} from "../client/replica-set-documents.js";
import { CommandError, notPrimary } from "./command-error.js";
import { isNewer, isSame } from "./config-rules.js";
import type { Disk } from "./disk.js";
import type { LogEntry, ModelData, Operation } from "./operations.js";
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

/** What is known of another member. */
export interface Peer {
  reply: PeerReply | undefined;
  /** When it last answered, on the clock that never jumps; undefined when the last call failed. */
  heardAt: number | undefined;
  lastHeardAt: number;
  isBusy: boolean;
  isDue: boolean;
  matched: number;
  next: number;
}

interface Waiter {
  readonly index: number;
  resolve(): void;
  reject(error: Error): void;
}

const defaults = { heartbeat: 2_000, election: 10_000 } as const;

export class Replication {
  readonly #means: ReplicationMeans;
  readonly #peers = new Map<string, Peer>();
  readonly #waiters = new Set<Waiter>();
  #heartbeat: Timer | undefined;
  #election: Timer | undefined;
  #isRunning = false;
  #syncedAt: number | undefined;
  #frozenUntil = 0;
  #primaryHeardAt = Number.NEGATIVE_INFINITY;
  #electionsWon = 0;
  state: MemberState = "STARTUP";
  /** The primary, as far as this member knows. */
  primary: string | undefined;
  committed = 0;

  constructor(means: ReplicationMeans) {
    this.#means = means;
    for (const { operation } of means.disk.log) means.data.apply(operation);
  }

  get config(): ReplicaSetConfig | undefined {
    return this.#means.disk.config;
  }
  get term(): number {
    return this.#means.disk.vote.term;
  }
  get isPrimary(): boolean {
    return this.state === "PRIMARY";
  }
  get lastEntry(): LogEntry | undefined {
    return this.#means.disk.log.at(-1);
  }
  get electionsWon(): number {
    return this.#electionsWon;
  }
  get own(): MemberConfig | undefined {
    return this.config?.members.find(({ host }) => host === this.#means.self);
  }
  peer(host: string): Peer {
    const known = this.#peers.get(host);
    if (known) return known;
    const made: Peer = {
      reply: undefined,
      heardAt: undefined,
      lastHeardAt: Number.NEGATIVE_INFINITY,
      isBusy: false,
      isDue: false,
      matched: 0,
      next: 1,
    };
    this.#peers.set(host, made);
    return made;
  }

  start(): void {
    this.#isRunning = true;
    this.#enter();
    this.#beat();
    this.#awaitElection();
  }

  stop(): void {
    this.#isRunning = false;
    this.#heartbeat?.cancel();
    this.#election?.cancel();
    this.#rejectWaiters(new CommandError(11600, "InterruptedAtShutdown", "the process ends"));
  }

  /** Begins a replica set of which this member has the configuration first. */
  initiate(config: ReplicaSetConfig, operations: readonly Operation[]): void {
    const { disk } = this.#means;
    disk.setVote({ term: 0, votedFor: undefined });
    disk.setConfig(config);
    this.#append({ kind: "noop" });
    for (const operation of operations) this.#append(operation);
    this.#syncedAt = this.#now();
    this.#enter();
    void this.#stand({ isHandOver: true });
    this.#sendAll();
  }

  /** Takes a configuration that was checked, and spreads it. */
  install(config: ReplicaSetConfig): void {
    this.#means.disk.setConfig(config);
    this.#enter();
    this.#sendAll();
    this.#advance();
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
    const index = this.#append(operation);
    this.#sendAll();
    this.#advance();
    if (!isMajority || this.committed >= index) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.add({ index, resolve, reject });
    });
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
    this.#frozenUntil = this.#now() + (seconds * 1_000) / this.#means.speed;
    this.#resign();
    if (successor !== undefined)
      void this.#means
        .call(successor, { kind: "stand", from: this.#means.self, set: this.#means.setName, term: this.term })
        .catch(() => undefined);
    return true;
  }

  /** Stands for election though there may be a primary; false when it was not elected. */
  async stepUp(): Promise<boolean> {
    await this.#stand({ isHandOver: true });
    return this.isPrimary;
  }

  /** How many of the members of a configuration answer, with what they answered. */
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
      case "vote":
        return this.#voteOn(message);
      case "stand":
        if (message.term === this.term) void this.#stand({ isHandOver: true });
        return this.#answer();
      case "heartbeat":
        return this.#heartbeatFrom(message);
    }
  }

  // Roles -------------------------------------------------------------------------------------------------------------------------

  #now(): number {
    return this.#means.clock.monotonic();
  }

  get electionTimeout(): number {
    const given = Number(this.config?.settings?.["electionTimeoutMillis"] ?? defaults.election);
    return given / this.#means.speed;
  }

  get #heartbeatInterval(): number {
    const given = Number(this.config?.settings?.["heartbeatIntervalMillis"] ?? defaults.heartbeat);
    return given / this.#means.speed;
  }

  /** Takes the state that follows from the configuration and the log. */
  #enter(): void {
    const { own, config } = this;
    if (!config) this.state = "STARTUP";
    else if (!own) {
      this.#resign();
      this.state = "REMOVED";
    } else if (isArbiter(own)) this.state = "ARBITER";
    else if (this.isPrimary) {
      if (!isVoting(own) || priorityOf(own) === 0) this.#resign();
    } else if (this.#means.disk.log.length === 0) this.state = "STARTUP2";
    else this.state = "SECONDARY";
  }

  #resign(): void {
    if (this.isPrimary) {
      this.state = "SECONDARY";
      this.primary = undefined;
      this.#primaryHeardAt = this.#now();
      this.#rejectWaiters(
        new CommandError(189, "PrimarySteppedDown", "operation was interrupted: primary stepped down"),
      );
    }
    this.#awaitElection();
  }

  #setTerm(term: number): void {
    if (term <= this.term) return;
    this.#means.disk.setVote({ term, votedFor: undefined });
    this.primary = undefined;
    this.#resign();
  }

  #rejectWaiters(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }

  // Heartbeats and the log --------------------------------------------------------------------------------------------------------

  #beat(): void {
    this.#heartbeat?.cancel();
    if (!this.#isRunning) return;
    this.#heartbeat = this.#means.clock.setTimer(this.#heartbeatInterval, () => {
      this.#sendAll();
      this.#checkMajority();
      this.#beat();
    });
  }

  #sendAll(): void {
    const { config, own } = this;
    if (!this.#isRunning || !config || !own) return;
    for (const { host } of config.members) if (host !== this.#means.self) void this.#send(host);
  }

  async #send(host: string): Promise<void> {
    const peer = this.peer(host);
    peer.isDue = true;
    if (peer.isBusy) return;
    peer.isBusy = true;
    try {
      while (peer.isDue && this.#isRunning && this.config && this.own) {
        peer.isDue = false;
        await this.#exchange(host, peer, this.config);
      }
    } finally {
      peer.isBusy = false;
    }
  }

  async #exchange(host: string, peer: Peer, config: ReplicaSetConfig): Promise<void> {
    const { self, setName, disk } = this.#means;
    const { isPrimary, term } = this;
    const previous = disk.log[peer.next - 2];
    const entries = isPrimary ? disk.log.slice(peer.next - 1, peer.next + 499) : [];
    let reply: PeerReply;
    try {
      reply = await this.#means.call(host, {
        kind: "heartbeat",
        from: self,
        set: setName,
        term,
        config,
        isPrimary,
        previousIndex: previous?.index ?? 0,
        previousTerm: previous?.term ?? 0,
        entries,
        committed: this.committed,
      });
    } catch {
      peer.heardAt = undefined;
      return;
    }
    if (!this.#isRunning) return;
    peer.reply = reply;
    peer.heardAt = this.#now();
    peer.lastHeardAt = this.#now();
    if (reply.config && isNewer(reply.config, this.config)) this.install(reply.config);
    if (reply.term > this.term) this.#setTerm(reply.term);
    else if (isPrimary && this.isPrimary && this.term === term) this.#matched(peer, reply);
  }

  #matched(peer: Peer, reply: PeerReply): void {
    const last = this.lastEntry?.index ?? 0;
    if (reply.matched !== undefined) {
      peer.matched = reply.matched;
      peer.next = reply.matched + 1;
      if (reply.matched < last) peer.isDue = true;
      this.#advance();
    } else if (reply.state === "STARTUP2" || reply.state === "STARTUP") {
      // It begins from nothing once it has copied the data.
      peer.matched = 0;
      peer.next = 1;
    } else if (reply.state !== "ARBITER" && peer.next > 1) {
      peer.next = Math.max(1, Math.min(peer.next - 1, reply.lastIndex + 1));
      peer.isDue = true;
    }
  }

  #append(operation: Operation): number {
    const { disk, data, clock } = this.#means;
    const index = (this.lastEntry?.index ?? 0) + 1;
    disk.append({ index, term: this.term, at: clock.now(), operation });
    data.apply(operation);
    return index;
  }

  /** Moves the point up to which a majority has the log. */
  #advance(): void {
    const { config, lastEntry } = this;
    if (!this.isPrimary || !config || !lastEntry) return;
    const voters = config.members.filter(isVoting);
    const bearing = voters.filter((member) => !isArbiter(member));
    const needed = Math.min(majorityOf(voters.length), bearing.length);
    const matched = bearing
      .map(({ host }) => (host === this.#means.self ? lastEntry.index : this.peer(host).matched))
      .toSorted((a, b) => b - a)[needed - 1];
    if (matched === undefined || matched <= this.committed) return;
    // Entries of earlier terms count only with one of this term after them.
    if (this.#means.disk.log[matched - 1]?.term !== this.term) return;
    this.committed = matched;
    for (const waiter of this.#waiters)
      if (waiter.index <= matched) {
        this.#waiters.delete(waiter);
        waiter.resolve();
      }
  }

  #checkMajority(): void {
    const { config } = this;
    if (!this.isPrimary || !config) return;
    const voters = config.members.filter(isVoting);
    const oldest = this.#now() - this.electionTimeout;
    const heard = voters.filter(
      ({ host }) => host === this.#means.self || this.peer(host).lastHeardAt >= oldest,
    );
    if (heard.length < majorityOf(voters.length)) this.#resign();
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
    const isNew = isNewer(message.config, this.config);
    const isOfIt = message.config.members.some(({ host }) => host === this.#means.self);
    // A member that belongs to no set takes only a configuration that names it.
    if (isNew && (this.config || isOfIt)) this.install(message.config);
    if (!this.config) return this.#answer();
    if (message.term > this.term) this.#setTerm(message.term);
    const config = isNewer(this.config, message.config) ? this.config : undefined;
    if (!message.isPrimary || message.term < this.term) return this.#answer({ config });
    this.primary = message.from;
    this.#primaryHeardAt = this.#now();
    this.#awaitElection();
    const matched = this.state === "ARBITER" || this.state === "REMOVED" ? undefined : this.#follow(message);
    return this.#answer({ config, matched });
  }

  /** Takes the entries of a primary; returns up to where the logs are the same. */
  #follow(message: PeerMessage & { kind: "heartbeat" }): number | undefined {
    const { disk, data } = this.#means;
    if (disk.log.length === 0) {
      this.#syncedAt ??= this.#now() + this.#means.catchUp / this.#means.speed;
      if (this.#now() < this.#syncedAt) return undefined;
    }
    const { previousIndex, previousTerm, entries } = message;
    if (previousIndex > 0 && disk.log[previousIndex - 1]?.term !== previousTerm) return undefined;
    for (const entry of entries) {
      const known = disk.log[entry.index - 1];
      if (known?.term === entry.term) continue;
      if (known) this.#rollBack(entry.index - 1);
      disk.append(entry);
      data.apply(entry.operation);
    }
    const matched = previousIndex + entries.length;
    this.committed = Math.max(this.committed, Math.min(message.committed, matched));
    if (disk.log.length > 0 && this.state === "STARTUP2") this.state = "SECONDARY";
    return matched;
  }

  /** Takes back entries that no majority had. */
  #rollBack(length: number): void {
    const { disk, data } = this.#means;
    disk.truncate(length);
    data.clear();
    for (const { operation } of disk.log) data.apply(operation);
  }

  // Elections ---------------------------------------------------------------------------------------------------------------------

  #awaitElection(): void {
    this.#election?.cancel();
    if (!this.#isRunning) return;
    const delay = this.electionTimeout * (1 + 0.15 * this.#means.random());
    this.#election = this.#means.clock.setTimer(delay, () => {
      this.#awaitElection();
      if (!this.isPrimary) void this.#stand({ isHandOver: false });
    });
  }

  #isElectable(): boolean {
    const { own } = this;
    return (
      this.#isRunning &&
      this.state === "SECONDARY" &&
      own !== undefined &&
      isVoting(own) &&
      priorityOf(own) > 0
    );
  }

  async #stand({ isHandOver }: { readonly isHandOver: boolean }): Promise<void> {
    if (!this.#isElectable() || (!isHandOver && this.#now() < this.#frozenUntil)) return;
    if (!(await this.#poll(this.term + 1, { isDryRun: true, isHandOver }))) return;
    if (!this.#isElectable()) return;
    const term = this.term + 1;
    this.#means.disk.setVote({ term, votedFor: this.#means.self });
    if (!(await this.#poll(term, { isDryRun: false, isHandOver })) || this.term !== term) return;
    if (this.#isElectable()) this.#lead();
  }

  async #poll(
    term: number,
    { isDryRun, isHandOver }: { readonly isDryRun: boolean; readonly isHandOver: boolean },
  ): Promise<boolean> {
    const { config, lastEntry } = this;
    const { self, setName } = this.#means;
    if (!config) return false;
    const voters = config.members.filter(isVoting);
    const message: PeerMessage = {
      kind: "vote",
      from: self,
      set: setName,
      term,
      isDryRun,
      isHandOver,
      lastIndex: lastEntry?.index ?? 0,
      lastTerm: lastEntry?.term ?? 0,
      config,
    };
    let granted = 0;
    let highest = 0;
    const needed = majorityOf(voters.length);
    await new Promise<void>((resolve) => {
      let open = voters.length;
      const count = (isGranted: boolean): void => {
        if (isGranted) granted += 1;
        open -= 1;
        if (granted >= needed || open === 0) resolve();
      };
      for (const { host } of voters)
        if (host === self) count(true);
        else
          this.#means.call(host, message).then(
            (reply) => {
              highest = Math.max(highest, reply.term);
              count(reply.isGranted === true);
            },
            () => count(false),
          );
    });
    if (highest > term) this.#setTerm(highest);
    return granted >= needed && (isDryRun ? this.term < term : this.term === term);
  }

  #voteOn(message: PeerMessage & { kind: "vote" }): PeerReply {
    const { disk } = this.#means;
    const isGranted = this.#isFit(message);
    if (message.isDryRun) return this.#answer({ isGranted });
    if (isGranted) {
      this.#setTerm(message.term);
      disk.setVote({ term: message.term, votedFor: message.from });
      this.#awaitElection();
    }
    return this.#answer({ isGranted });
  }

  #isFit(message: PeerMessage & { kind: "vote" }): boolean {
    const { config, own, lastEntry } = this;
    const { vote } = this.#means.disk;
    if (!config || !own || !isVoting(own)) return false;
    if (
      message.term < vote.term ||
      (message.term === vote.term && vote.votedFor !== undefined && vote.votedFor !== message.from)
    )
      return false;
    if (isNewer(config, message.config)) return false;
    if (!message.isHandOver && this.#hearsPrimary(message.from)) return false;
    if (this.state === "ARBITER") return true;
    const [term, index] = [lastEntry?.term ?? 0, lastEntry?.index ?? 0];
    return message.lastTerm > term || (message.lastTerm === term && message.lastIndex >= index);
  }

  #hearsPrimary(candidate: string): boolean {
    if (this.isPrimary) return true;
    if (this.primary === undefined || this.primary === candidate) return false;
    return this.#now() - this.#primaryHeardAt < this.electionTimeout * 0.9;
  }

  #lead(): void {
    const { disk, hasTerms, self } = this.#means;
    this.state = "PRIMARY";
    this.primary = self;
    this.#electionsWon += 1;
    const next = (this.lastEntry?.index ?? 0) + 1;
    for (const peer of this.#peers.values()) {
      peer.matched = 0;
      peer.next = next;
      peer.lastHeardAt = this.#now();
    }
    if (hasTerms && disk.config) disk.setConfig({ ...disk.config, term: this.term });
    this.#append({ kind: "noop" });
    this.#sendAll();
    this.#advance();
  }
}

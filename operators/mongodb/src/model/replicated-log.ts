// The log of a member of the model: what a primary writes, what the others take from it, what a majority has, and what is taken back.
import { isArbiter, isVoting, majorityOf } from "../client/replica-set-documents.js";
import type { LogEntry, Operation } from "./operations.js";
import type { PeerMessage } from "./peer-messages.js";
import type { Peers } from "./peers.js";
import type { ReplicaMember } from "./replica-member.js";

interface Waiter {
  readonly index: number;
  resolve(): void;
  reject(error: Error): void;
}

export class ReplicatedLog {
  readonly #member: ReplicaMember;
  readonly #peers: Peers;
  readonly #waiters = new Set<Waiter>();
  #syncedAt: number | undefined;
  committed = 0;

  constructor(member: ReplicaMember, peers: Peers) {
    this.#member = member;
    this.#peers = peers;
    const { disk, data } = member.means;
    for (const { operation } of disk.log) data.apply(operation);
  }

  get last(): LogEntry | undefined {
    return this.#member.means.disk.log.at(-1);
  }

  append(operation: Operation): number {
    const { disk, data, clock } = this.#member.means;
    const index = (this.last?.index ?? 0) + 1;
    disk.append({ index, term: this.#member.term, at: clock.now(), operation });
    data.apply(operation);
    this.#syncedAt ??= this.#member.now;
    return index;
  }

  /** Resolves once a majority has the entry. */
  async reached(index: number): Promise<void> {
    if (this.committed >= index) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.add({ index, resolve, reject });
    });
  }

  rejectWaiters(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }

  /** Moves the point up to which a majority has the log. */
  advance(): void {
    const { config, isPrimary, means, term } = this.#member;
    const { last } = this;
    if (!isPrimary || !config || !last) return;
    const voters = config.members.filter(isVoting);
    const bearing = voters.filter((member) => !isArbiter(member));
    const needed = Math.min(majorityOf(voters.length), bearing.length);
    const matched = bearing
      .map(({ host }) => (host === means.self ? last.index : this.#peers.of(host).matched))
      .toSorted((a, b) => b - a)[needed - 1];
    if (matched === undefined || matched <= this.committed) return;
    // Entries of earlier terms count only with one of this term after them.
    if (means.disk.log[matched - 1]?.term !== term) return;
    this.committed = matched;
    for (const waiter of this.#waiters)
      if (waiter.index <= matched) {
        this.#waiters.delete(waiter);
        waiter.resolve();
      }
  }

  /** Takes the entries of a primary; returns up to where the logs are the same. */
  follow(message: PeerMessage & { kind: "heartbeat" }): number | undefined {
    const member = this.#member;
    const { disk, data, catchUp, speed } = member.means;
    if (member.held) return undefined;
    if (disk.log.length === 0) {
      this.#syncedAt ??= member.now + catchUp / speed;
      if (member.now < this.#syncedAt) return undefined;
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
    if (disk.log.length > 0 && member.state === "STARTUP2") member.state = "SECONDARY";
    return matched;
  }

  /** Takes back entries that no majority had. */
  #rollBack(length: number): void {
    const { disk, data } = this.#member.means;
    disk.truncate(length);
    data.clear();
    for (const { operation } of disk.log) data.apply(operation);
  }
}

// Heartbeats in the model: each member tells each other its term and configuration at intervals, and a primary sends what the others lack
// of its log with them.
import type { Timer } from "@kubewright/api";
import { isVoting, majorityOf, type ReplicaSetConfig } from "../client/replica-set-documents.js";
import { isNewer } from "./config-rules.js";
import type { PeerReply } from "./peer-messages.js";
import type { Peer, Peers } from "./peers.js";
import type { ReplicaMember } from "./replica-member.js";
import type { ReplicatedLog } from "./replicated-log.js";

/** Entries of the log in one message. */
const batch = 500;

export class Heartbeats {
  readonly #member: ReplicaMember;
  readonly #peers: Peers;
  readonly #log: ReplicatedLog;
  readonly #install: (config: ReplicaSetConfig) => void;
  #timer: Timer | undefined;

  constructor(
    member: ReplicaMember,
    peers: Peers,
    log: ReplicatedLog,
    install: (config: ReplicaSetConfig) => void,
  ) {
    this.#member = member;
    this.#peers = peers;
    this.#log = log;
    this.#install = install;
  }

  start(): void {
    this.#timer?.cancel();
    const member = this.#member;
    if (!member.isRunning) return;
    this.#timer = member.means.clock.setTimer(member.heartbeatInterval, () => {
      this.sendAll();
      this.#checkMajority();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  sendAll(): void {
    const { config, own, isRunning, means } = this.#member;
    if (!isRunning || !config || !own) return;
    for (const { host } of config.members) if (host !== means.self) void this.#send(host);
  }

  async #send(host: string): Promise<void> {
    const member = this.#member;
    const peer = this.#peers.of(host);
    peer.isDue = true;
    if (peer.isBusy) return;
    peer.isBusy = true;
    try {
      while (peer.isDue && member.isRunning && member.config && member.own) {
        peer.isDue = false;
        await this.#exchange(host, peer, member.config);
      }
    } finally {
      peer.isBusy = false;
    }
  }

  async #exchange(host: string, peer: Peer, config: ReplicaSetConfig): Promise<void> {
    const member = this.#member;
    const { self, setName, disk } = member.means;
    const { isPrimary, term } = member;
    const previous = disk.log[peer.next - 2];
    const entries = isPrimary ? disk.log.slice(peer.next - 1, peer.next - 1 + batch) : [];
    let reply: PeerReply;
    try {
      reply = await member.means.call(host, {
        kind: "heartbeat",
        from: self,
        set: setName,
        term,
        config,
        isPrimary,
        previousIndex: previous?.index ?? 0,
        previousTerm: previous?.term ?? 0,
        entries,
        committed: this.#log.committed,
      });
    } catch {
      peer.heardAt = undefined;
      return;
    }
    if (!member.isRunning) return;
    peer.reply = reply;
    peer.heardAt = member.now;
    peer.lastHeardAt = member.now;
    if (reply.config && isNewer(reply.config, member.config)) this.#install(reply.config);
    if (reply.term > member.term) member.setTerm(reply.term);
    else if (isPrimary && member.isPrimary && member.term === term) this.#matched(peer, reply);
  }

  #matched(peer: Peer, reply: PeerReply): void {
    const last = this.#log.last?.index ?? 0;
    if (reply.matched !== undefined) {
      peer.matched = reply.matched;
      peer.next = reply.matched + 1;
      if (reply.matched < last) peer.isDue = true;
      this.#log.advance();
    } else if (reply.state === "STARTUP2" || reply.state === "STARTUP") {
      // It begins from nothing once it has copied the data.
      peer.matched = 0;
      peer.next = 1;
    } else if (reply.state === "SECONDARY" && peer.next > 1) {
      peer.next = Math.max(1, Math.min(peer.next - 1, reply.lastIndex + 1));
      peer.isDue = true;
    }
  }

  /** A primary that no majority has answered for a time steps down. */
  #checkMajority(): void {
    const member = this.#member;
    const { config } = member;
    if (!member.isPrimary || !config) return;
    const voters = config.members.filter(isVoting);
    const oldest = member.now - member.electionTimeout;
    const heard = voters.filter(
      ({ host }) => host === member.means.self || this.#peers.of(host).lastHeardAt >= oldest,
    );
    if (heard.length < majorityOf(voters.length)) member.resign();
  }
}

// Elections in the model, by terms and majorities: who stands and when, and who is voted for. A dry run comes first, as in mongod, so that
// a member that could not win does not disturb a primary.
import type { Timer } from "@kubewright/api";
import { isVoting, majorityOf, priorityOf } from "../client/replica-set-documents.js";
import { isNewer } from "./config-rules.js";
import type { PeerMessage } from "./peer-messages.js";
import type { ReplicaMember } from "./replica-member.js";
import type { ReplicatedLog } from "./replicated-log.js";

type VoteMessage = PeerMessage & { kind: "vote" };

interface Standing {
  /** The primary has stepped down for it. */
  readonly isHandOver: boolean;
}

export class Elections {
  readonly #member: ReplicaMember;
  readonly #log: ReplicatedLog;
  readonly #lead: () => void;
  #timer: Timer | undefined;
  /** A member that has stepped down does not stand before. */
  frozenUntil = 0;

  constructor(member: ReplicaMember, log: ReplicatedLog, lead: () => void) {
    this.#member = member;
    this.#log = log;
    this.#lead = lead;
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Stands if nobody is heard as primary for a time, which begins now. */
  await(): void {
    this.#timer?.cancel();
    const member = this.#member;
    if (!member.isRunning) return;
    const delay = member.electionTimeout * (1 + 0.15 * member.means.random());
    this.#timer = member.means.clock.setTimer(delay, () => {
      this.await();
      if (!member.isPrimary) void this.stand({ isHandOver: false });
    });
  }

  async stand({ isHandOver }: Standing): Promise<void> {
    const member = this.#member;
    if (!this.#isElectable() || (!isHandOver && member.now < this.frozenUntil)) return;
    if (!(await this.#poll(member.term + 1, { isDryRun: true, isHandOver }))) return;
    if (!this.#isElectable()) return;
    const term = member.term + 1;
    member.means.disk.setVote({ term, votedFor: member.means.self });
    if (!(await this.#poll(term, { isDryRun: false, isHandOver })) || member.term !== term) return;
    if (this.#isElectable()) this.#lead();
  }

  /** Whether this member votes as it is asked to. */
  voteOn(message: VoteMessage): boolean {
    const isGranted = this.#isFit(message);
    if (message.isDryRun || !isGranted) return isGranted;
    this.#member.setTerm(message.term);
    this.#member.means.disk.setVote({ term: message.term, votedFor: message.from });
    this.await();
    return true;
  }

  #isElectable(): boolean {
    const { own, isRunning, state } = this.#member;
    return isRunning && state === "SECONDARY" && own !== undefined && isVoting(own) && priorityOf(own) > 0;
  }

  async #poll(term: number, { isDryRun, isHandOver }: Standing & { isDryRun: boolean }): Promise<boolean> {
    const member = this.#member;
    const { config } = member;
    const { self, setName } = member.means;
    if (!config) return false;
    const { last } = this.#log;
    const [lastIndex, lastTerm] = [last?.index ?? 0, last?.term ?? 0];
    const asked = { from: self, set: setName, term, isDryRun, isHandOver, lastIndex, lastTerm, config };
    const { granted, highest } = await this.#ask({ kind: "vote", ...asked });
    if (highest > term) member.setTerm(highest);
    const needed = majorityOf(config.members.filter(isVoting).length);
    return granted >= needed && (isDryRun ? member.term < term : member.term === term);
  }

  /** Asks all voters at once; ends when a majority has granted it, or all have answered. */
  #ask(message: VoteMessage): Promise<{ readonly granted: number; readonly highest: number }> {
    const { self, call } = this.#member.means;
    const voters = message.config.members.filter(isVoting);
    const needed = majorityOf(voters.length);
    let [granted, highest, open] = [0, 0, voters.length];
    return new Promise((resolve) => {
      const count = (isGranted: boolean): void => {
        if (isGranted) granted += 1;
        open -= 1;
        if (granted >= needed || open === 0) resolve({ granted, highest });
      };
      for (const { host } of voters)
        if (host === self) count(true);
        else
          call(host, message).then(
            (reply) => {
              highest = Math.max(highest, reply.term);
              count(reply.isGranted === true);
            },
            () => count(false),
          );
    });
  }

  #isFit(message: VoteMessage): boolean {
    const { config, own, state, means } = this.#member;
    const { vote } = means.disk;
    if (!config || !own || !isVoting(own)) return false;
    if (
      message.term < vote.term ||
      (message.term === vote.term && vote.votedFor !== undefined && vote.votedFor !== message.from)
    )
      return false;
    if (isNewer(config, message.config)) return false;
    if (!message.isHandOver && this.#hearsPrimary(message.from)) return false;
    if (state === "ARBITER") return true;
    const { last } = this.#log;
    const [term, index] = [last?.term ?? 0, last?.index ?? 0];
    return message.lastTerm > term || (message.lastTerm === term && message.lastIndex >= index);
  }

  #hearsPrimary(candidate: string): boolean {
    const { isPrimary, primary, now, primaryHeardAt, electionTimeout } = this.#member;
    if (isPrimary) return true;
    if (primary === undefined || primary === candidate) return false;
    return now - primaryHeardAt < electionTimeout * 0.9;
  }
}

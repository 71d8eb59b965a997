// The one decision: from what is observed to the next step. It has no memory and no side effect. The order of the questions below is the
// order of safety: what is half done is finished first, then what failed is replaced, and only a whole cluster is scaled or updated.
import { failureOf } from "./failure.js";
import { maintain } from "./maintenance.js";
import { memberName } from "./names.js";
import {
  hasStarted,
  isHealthy,
  isReachable,
  leaderOf,
  learners,
  type Observed,
  quorumOf,
  type Slot,
  voters,
} from "./observed.js";
import { roll } from "./roll.js";
import type { Decision, Phase, Step } from "./step.js";

type Question = (observed: Observed) => Decision | undefined;

const decision = (phase: Phase, step: Step): Decision => ({ phase, step });
const wait = (phase: Phase, message: string): Decision => ({ phase, step: { kind: "wait", message } });

/** Decides the next step. */
export function nextStep(observed: Observed): Decision {
  const { wanted, clusterId, membership } = observed;
  if (wanted.isPaused) return wait("Paused", "spec.paused is true");
  if (clusterId === undefined) return begin(observed);
  if (!membership) return withoutQuorum(observed);
  if (membership.clusterId !== clusterId)
    return wait(
      "Degraded",
      `the members say they are cluster ${membership.clusterId}, which is not the recorded ${clusterId}; nothing is changed`,
    );
  for (const question of questions) {
    const answer = question(observed);
    if (answer) return reconnected(observed, answer);
  }
  const isWhole = voters(observed).every(isHealthy);
  return decision(isWhole ? "Running" : "Degraded", { kind: "none" });
}

/** A change of the membership that all members refuse for so long, in milliseconds, is not refused for good reason. */
const longestStall = 60_000;

/**
 * When every member counts another one as lost although all are healthy, a follower is started again: it connects anew, and then does
 * what was refused.
 */
function reconnected(observed: Observed, answer: Decision): Decision {
  const { now, stalledSince } = observed;
  const { kind } = answer.step;
  if (stalledSince === undefined || now - stalledSince < longestStall) return answer;
  if (kind !== "add-learner" && kind !== "remove-member") return answer;
  const all = voters(observed);
  const follower = all.findLast((slot) => slot !== leaderOf(observed));
  if (!follower || !all.every(isHealthy)) return answer;
  const why = "to reconnect, because all members consider another one lost";
  return { ...answer, step: { kind: "restart", member: follower.name, why } };
}

const questions: readonly Question[] = [
  startMissing,
  guard,
  deleteLeftovers,
  disarmStray,
  settleLearner,
  replaceFailed,
  scale,
  roll,
  maintain,
];

/** The first member. Nothing else is done before the id of its cluster is recorded, so that no second cluster is ever begun. */
function begin({ cluster, membership, slots, wanted }: Observed): Decision {
  const seed = memberName(cluster, 0);
  if (membership) return wait("Creating", "the id of the cluster is being recorded");
  if (slots.some(({ name, claim, pod }) => (name !== seed && (claim || pod)) || claim?.isTerminating))
    return wait("Creating", "pods and volumes of an earlier cluster of this name are still there");
  const first = slots.find(({ name }) => name === seed);
  const pod = first?.pod;
  if (!pod && wanted.obstacle !== undefined) return wait("Creating", wanted.obstacle);
  if (!pod || waitsForClaim(first)) return decision("Creating", { kind: "start", member: seed, how: "seed" });
  if (pod.hasEnded) return decision("Creating", { kind: "restart", member: seed, why: "its pod ended" });
  return wait("Creating", `${seed} starts${pod.problem ? `: ${pod.problem}` : ""}`);
}

/** Somebody deleted the claim before the pod could use it; there is no data to lose. While a pod runs its claim is protected. */
const waitsForClaim = (slot: Slot): boolean =>
  slot.pod !== undefined && !slot.pod.isReady && !slot.claim && !hasStarted(slot);

/** Membership is never changed here: members are started where they are missing, and awaited. */
function withoutQuorum(observed: Observed): Decision {
  const { slots, knownVoters, wanted } = observed;
  const known = slots.filter(({ name }) => knownVoters.includes(name));
  if (wanted.recoverFrom !== undefined) return recover(observed, wanted.recoverFrom);
  const phase = isRestarting(observed, known) ? "Updating" : "QuorumLost";
  const ended = known.find(({ pod }) => pod?.hasEnded && !pod.isTerminating);
  if (ended) return decision(phase, { kind: "restart", member: ended.name, why: "its pod ended" });
  const missing = known.find(({ pod, claim }) => !pod && claim && !claim.isTerminating);
  if (missing) return decision(phase, { kind: "start", member: missing.name, how: "guarded" });
  if (phase === "Updating") return wait(phase, "the only member starts again");
  return wait(phase, quorumMessage(observed, known));
}

export function quorumMessage({ knownVoters }: Observed, known: readonly Slot[]): string {
  const answering = known.filter(({ status }) => status !== undefined).length;
  const needed = quorumOf(knownVoters.length);
  if (answering >= needed) return `${answering} of ${knownVoters.length} members answer, but have no leader`;
  return `${answering} of ${knownVoters.length} members answer, and ${needed} are needed; members are kept and awaited`;
}

/** The only member is away for a moment because it is started again. */
function isRestarting({ knownVoters, now }: Observed, known: readonly Slot[]): boolean {
  const [only] = known;
  if (knownVoters.length !== 1 || !only?.claim) return false;
  return !only.pod || only.pod.isTerminating || (!only.pod.lastWords && now - only.pod.createdAt < 60_000);
}

/** Begins the cluster anew from the data of one member. Pods of the others go first, so that they cannot answer. */
function recover({ slots }: Observed, from: string): Decision {
  const survivor = slots.find(({ name }) => name === from);
  if (!survivor?.claim || survivor.claim.isTerminating)
    return wait("QuorumLost", `cannot recover from ${from}: it has no volume`);
  const other = slots.find(({ name, pod }) => name !== from && pod);
  if (other)
    return other.pod?.isTerminating
      ? wait("QuorumLost", `${other.name} ends before the recovery`)
      : decision("QuorumLost", { kind: "delete-pod", member: other.name });
  if (!survivor.pod) return decision("QuorumLost", { kind: "start", member: from, how: "recover" });
  if (survivor.pod.start !== "recover" && !survivor.pod.isTerminating)
    return decision("QuorumLost", { kind: "restart", member: from, why: "to recover from its data" });
  return wait("QuorumLost", `${from} starts as the only member`);
}

function startMissing(observed: Observed): Decision | undefined {
  for (const slot of observed.slots) {
    const { name, member, pod, claim } = slot;
    if (!member) continue;
    const phase = phaseOf(observed);
    if (pod?.hasEnded && !pod.isTerminating)
      return decision(phase, { kind: "restart", member: name, why: "its pod ended" });
    if ((pod && !waitsForClaim(slot)) || claim?.isTerminating) continue;
    if (!hasStarted(slot)) return decision(phase, { kind: "start", member: name, how: "join" });
    if (claim && !claim.isLost) return decision(phase, { kind: "start", member: name, how: "guarded" });
  }
  return undefined;
}

/** A member that has data must not begin without. Until every one of them is guarded nothing else is done. */
function guard(observed: Observed): Decision | undefined {
  for (const { name, member, pod, status } of observed.slots) {
    if (!member?.name || !pod || pod.start === "guarded") continue;
    if (pod.isTerminating) return wait(phaseOf(observed), `${name} is started again`);
    if (status)
      return decision(phaseOf(observed), {
        kind: "restart",
        member: name,
        why: "to be guarded against an empty volume",
      });
  }
  return undefined;
}

/** Pods and claims of members that were removed, the pod first. */
function deleteLeftovers(observed: Observed): Decision | undefined {
  for (const { name, member, pod, claim } of observed.slots) {
    if (member) continue;
    if (pod && !pod.isTerminating) return decision(phaseOf(observed), { kind: "delete-pod", member: name });
    if (!pod && claim && !claim.isTerminating)
      return decision(phaseOf(observed), { kind: "delete-claim", member: name });
  }
  return undefined;
}

/** An alarm outlives its member, and stops writes or all of the cluster as long as it is there. */
function disarmStray({ strayAlarms }: Observed): Decision | undefined {
  const [stray] = strayAlarms;
  if (!stray) return undefined;
  const { memberId: id, type: alarm } = stray;
  return decision("Replacing", { kind: "disarm", member: `the removed member ${id}`, id, alarm });
}

/** One learner at a time is on its way; it becomes a voter, or goes. */
function settleLearner(observed: Observed): Decision | undefined {
  const [learner] = learners(observed);
  if (!learner?.member) return undefined;
  const { name, member, pod } = learner;
  const phase = phaseOf(observed);
  const remove = (why: string, isFailed: boolean): Decision =>
    decision(phase, { kind: "remove-member", member: name, id: member.id, why, isFailed });
  const failure = failureOf(learner, observed);
  if (failure !== undefined) return remove(failure, true);
  if (voters(observed).length >= observed.wanted.replicas) return remove("it is no longer needed", false);
  if (!isReachable(learner))
    return wait(phase, `${name} starts as a learner${pod?.problem ? `: ${pod.problem}` : ""}`);
  if (!hasCaughtUp(learner, leaderOf(observed))) return wait(phase, `${name} catches up with the leader`);
  return decision(phase, { kind: "promote", member: name, id: member.id });
}

/** etcd itself promotes a learner at nine tenths of the leader's log; asked earlier it refuses. */
function hasCaughtUp({ status }: Slot, leader: Slot | undefined): boolean {
  if (!status || !leader?.status) return false;
  return status.raftAppliedIndex >= leader.status.raftAppliedIndex * 0.9;
}

/** A failed voter is removed while the others are a quorum; the place it leaves is filled by scaling. */
function replaceFailed(observed: Observed): Decision | undefined {
  const all = voters(observed);
  for (const slot of all) {
    const why = failureOf(slot, observed);
    if (why === undefined || !slot.member) continue;
    const others = all.filter((other) => other !== slot && isReachable(other)).length;
    if (others < quorumOf(all.length))
      return wait(
        "Degraded",
        `${slot.name} has failed (${why}), but without it there is no quorum; it is not removed`,
      );
    return decision("Replacing", {
      kind: "remove-member",
      member: slot.name,
      id: slot.member.id,
      why,
      isFailed: true,
    });
  }
  return undefined;
}

function scale(observed: Observed): Decision | undefined {
  const all = voters(observed);
  const { replicas } = observed.wanted;
  if (all.length === replicas) return undefined;
  return all.length < replicas ? scaleOut(observed, all) : scaleIn(observed, all);
}

function scaleOut(observed: Observed, all: readonly Slot[]): Decision {
  const away = all.find((slot) => !isHealthy(slot));
  const phase = phaseOf(observed);
  if (away) return wait(phase, `${away.name} is not healthy; no member is added before it is`);
  const member = freeName(observed);
  return decision(phase, { kind: "add-learner", member });
}

/** The lowest number of which nothing is left. */
function freeName({ cluster, slots }: Observed): string {
  const taken = new Set(slots.map(({ ordinal }) => ordinal));
  let ordinal = 0;
  while (taken.has(ordinal)) ordinal++;
  return memberName(cluster, ordinal);
}

/** A member that is away goes first, then the one with the highest number. The leader hands over before it goes. */
function scaleIn(observed: Observed, all: readonly Slot[]): Decision {
  const victim = all.find((slot) => !isReachable(slot)) ?? all.at(-1);
  if (!victim?.member) return wait("Scaling", "no member can be removed");
  const others = all.filter((slot) => slot !== victim);
  const reachable = others.filter(isReachable);
  if (reachable.length < quorumOf(others.length) || reachable.length < others.length - 1)
    return wait("Scaling", "members are not healthy; none is removed before they are");
  const successor = reachable[0];
  if (leaderOf(observed) === victim && successor?.member)
    return decision("Scaling", {
      kind: "move-leader",
      from: victim.name,
      to: successor.name,
      id: successor.member.id,
    });
  return decision("Scaling", {
    kind: "remove-member",
    member: victim.name,
    id: victim.member.id,
    why: `${observed.wanted.replicas} members are specified`,
    isFailed: false,
  });
}

/** What a cluster that is not whole is busy with. */
function phaseOf(observed: Observed): Phase {
  const count = voters(observed).length;
  if (count < observed.wanted.replicas)
    return observed.slots.some(isOutdated(observed)) ? "Updating" : "Scaling";
  return count > observed.wanted.replicas ? "Scaling" : "Updating";
}

const isOutdated =
  ({ wanted }: Observed) =>
  ({ pod }: Slot): boolean =>
    pod !== undefined && pod.hash !== wanted.hash;

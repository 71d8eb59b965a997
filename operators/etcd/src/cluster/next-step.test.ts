// The decision, question by question, on observations made by hand.
import { describe, expect, test } from "vitest";
import { nextStep } from "./next-step.js";
import type { Observed, ObservedPod, Slot, Wanted } from "./observed.js";

const wanted: Wanted = {
  replicas: 3,
  version: "3.5.30",
  hash: "new",
  isPaused: false,
  failureGrace: 60_000,
  recoverFrom: undefined,
  obstacle: undefined,
  quota: 1_000_000_000,
};

const pod = (changes: Partial<ObservedPod> = {}): ObservedPod => ({
  start: "guarded",
  hash: "new",
  version: "3.5.30",
  isReady: true,
  isTerminating: false,
  hasEnded: false,
  createdAt: 0,
  lastWords: undefined,
  node: "node",
  problem: undefined,
  ...changes,
});

type Changes = Partial<Slot> & {
  readonly isLearner?: boolean;
  readonly isAway?: boolean;
  readonly applied?: number;
};

/** A healthy member; the first leads. */
function slot(
  ordinal: number,
  { isLearner = false, isAway = false, applied = 100, ...changes }: Changes = {},
): Slot {
  const id = `id${ordinal}`;
  const name = `c-${ordinal}`;
  return {
    name,
    ordinal,
    member: { id, name, peerURLs: [], isLearner },
    pod: pod(isAway ? { isReady: false } : {}),
    claim: { isTerminating: false, isLost: false },
    status: isAway
      ? undefined
      : {
          clusterId: "cluster",
          memberId: id,
          version: "3.5.30",
          leader: "id0",
          isLearner,
          dbSize: 1,
          dbSizeInUse: 1,
          raftIndex: applied,
          raftAppliedIndex: applied,
          raftTerm: 2,
          errors: [],
        },
    unhealthySince: isAway ? 0 : undefined,
    alarms: [],
    ...changes,
  };
}

function observed(slots: readonly Slot[], changes: Partial<Observed> = {}): Observed {
  const members = slots.flatMap(({ member }) => member ?? []);
  return {
    now: 10_000,
    cluster: "c",
    wanted,
    clusterId: "cluster",
    membership: { clusterId: "cluster", members },
    slots,
    knownVoters: members.filter(({ isLearner }) => !isLearner).map(({ name }) => name),
    history: undefined,
    watchedSince: 0,
    stalledSince: undefined,
    strayAlarms: [],
    ...changes,
  };
}

const three = [slot(0), slot(1), slot(2)];
const stepOf = (slots: readonly Slot[], changes: Partial<Observed> = {}) =>
  nextStep(observed(slots, changes)).step;
const late = { now: 100_000 };

describe("the next step", () => {
  test("of a whole cluster is none", () => {
    expect(nextStep(observed(three))).toEqual({ phase: "Running", step: { kind: "none" } });
  });

  test("no second cluster is begun while anything of a former one is there", () => {
    const none = { clusterId: undefined, membership: undefined, knownVoters: [] };
    expect(stepOf([], none)).toEqual({ kind: "start", member: "c-0", how: "seed" });
    const leftover = { ...slot(1), member: undefined, pod: undefined };
    expect(stepOf([leftover], none).kind).toBe("wait");
    expect(stepOf([{ ...leftover, claim: { isTerminating: true, isLost: false } }], none).kind).toBe("wait");
  });

  test("the id of the cluster is recorded before anything else happens", () => {
    expect(stepOf([slot(0)], { clusterId: undefined }).kind).toBe("wait");
  });

  test("members that say they are another cluster are left alone", () => {
    expect(stepOf([slot(0)], { clusterId: "other" })).toMatchObject({ kind: "wait" });
  });

  test("makes the claim again that the pod of the first member waits for", () => {
    const waiting = slot(0, { isAway: true, member: undefined, claim: undefined });
    const nothingYet = { clusterId: undefined, membership: undefined, knownVoters: [] };
    const start = { kind: "start", member: "c-0", how: "seed" };
    expect(stepOf([waiting], nothingYet)).toEqual(start);
    expect(stepOf([{ ...waiting, claim: slot(0).claim }], nothingYet).kind).toBe("wait");
  });

  test("makes the claim again that the pod of a member waits for that has no data yet", () => {
    const member = { id: "id2", name: "", peerURLs: [], isLearner: true };
    const waiting = slot(2, { isLearner: true, isAway: true, member, claim: undefined });
    expect(stepOf([slot(0), slot(1), waiting])).toEqual({
      kind: "start",
      member: "c-2",
      how: "join",
    });
    const started = slot(2, { isLearner: true, isAway: true, claim: undefined });
    expect(stepOf([slot(0), slot(1), started]).kind).toBe("wait");
  });

  test.each(["seed", "join", "recover"] as const)(
    "a member with data is not left with the flags of %s",
    (start) => {
      expect(stepOf([slot(0, { pod: pod({ start }) }), slot(1), slot(2)])).toMatchObject({
        kind: "restart",
        member: "c-0",
      });
    },
  );

  test("a learner is promoted when it has caught up, and not before", () => {
    const learner = (applied: number) => slot(2, { isLearner: true, applied });
    expect(stepOf([slot(0), slot(1), learner(50)]).kind).toBe("wait");
    expect(stepOf([slot(0), slot(1), learner(95)])).toEqual({ kind: "promote", member: "c-2", id: "id2" });
  });

  test("a learner that is no longer needed goes", () => {
    const learner = slot(3, { isLearner: true });
    expect(stepOf([...three, learner])).toMatchObject({
      kind: "remove-member",
      member: "c-3",
      isFailed: false,
    });
  });

  test("a pending learner is settled before a failed voter is replaced", () => {
    const voters = [slot(0), slot(1), slot(2, { isAway: true })];
    const all = { wanted: { ...wanted, replicas: 5 } };
    expect(stepOf([...voters, slot(3, { isLearner: true })], { ...late, ...all })).toMatchObject({
      kind: "promote",
    });
    expect(stepOf(voters, { ...late, ...all })).toMatchObject({ kind: "remove-member", member: "c-2" });
  });

  test.each<[string, Partial<Slot>]>([
    ["its claim is gone", { pod: undefined, claim: undefined, status: undefined }],
    ["its claim is lost", { claim: { isTerminating: false, isLost: true } }],
    [
      "its data is gone",
      { pod: pod({ isReady: false, lastWords: `couldn't find local name "c-1"` }), status: undefined },
    ],
    [
      "its data is damaged",
      { pod: pod({ isReady: false, lastWords: "walpb: crc mismatch" }), status: undefined },
    ],
    [
      "its data was a removed member's",
      { pod: pod({ lastWords: "the member has been permanently removed" }), status: undefined },
    ],
    ["a CORRUPT alarm names it", { alarms: ["CORRUPT"] }],
  ])("a member is replaced at once when %s", (_, changes) => {
    expect(stepOf([slot(0), slot(1, changes), slot(2)])).toMatchObject({
      kind: "remove-member",
      member: "c-1",
      isFailed: true,
    });
  });

  test("a member that answers is not replaced because its pod is not ready", () => {
    const unready = slot(1, { pod: pod({ isReady: false }), unhealthySince: 0 });
    expect(stepOf([slot(0), unready, slot(2)], late)).toEqual({
      kind: "wait",
      message: "c-1 is not healthy",
    });
    const ending = slot(1, { pod: pod({ isReady: false, isTerminating: true }), unhealthySince: 0 });
    expect(stepOf([slot(0), ending, slot(2)], late).kind).toBe("remove-member");
  });

  test("a follower connects anew when all members refuse a change for long because they count another one as lost", () => {
    const growing = { wanted: { ...wanted, replicas: 5 } };
    const stalled = (stalledSince: number) => stepOf(three, { ...growing, now: 100_000, stalledSince });
    expect(stalled(41_000).kind).toBe("add-learner");
    expect(stalled(40_000)).toMatchObject({ kind: "restart", member: "c-2" });
    const away = [slot(0), slot(1, { isAway: true, unhealthySince: 99_000 }), slot(2)];
    expect(stepOf(away, { ...growing, now: 100_000, stalledSince: 0 }).kind).toBe("wait");
  });

  test("the alarm of a member that was removed is cleared before the next one is added", () => {
    const strayAlarms = [{ memberId: "gone", type: "CORRUPT" }] as const;
    expect(stepOf([slot(0), slot(1)], { strayAlarms })).toMatchObject({ kind: "disarm", id: "gone" });
  });

  test("a member that is away is awaited for its grace time, counted from when a quorum was seen without a break", () => {
    const slots = [slot(0), slot(1, { isAway: true }), slot(2)];
    expect(stepOf(slots, { now: 59_000 }).kind).toBe("wait");
    expect(stepOf(slots, late).kind).toBe("remove-member");
    expect(stepOf(slots, { ...late, watchedSince: 50_000 }).kind).toBe("wait");
  });

  test("a failed member is not removed when the others are no quorum", () => {
    const slots = [slot(0), slot(1, { isAway: true }), slot(2, { isAway: true })];
    expect(stepOf(slots, late)).toMatchObject({ kind: "wait" });
  });

  test("without a quorum members are started and awaited, never removed", () => {
    const lost = { ...late, membership: undefined };
    const gone = slot(1, { isAway: true, member: undefined, pod: undefined });
    expect(
      nextStep(observed([slot(0), gone, slot(2)], { ...lost, knownVoters: ["c-0", "c-1", "c-2"] })),
    ).toEqual({
      phase: "QuorumLost",
      step: { kind: "start", member: "c-1", how: "guarded" },
    });
    const slots = [slot(0), slot(1, { isAway: true }), slot(2, { isAway: true })];
    expect(nextStep(observed(slots, lost))).toMatchObject({ phase: "QuorumLost", step: { kind: "wait" } });
  });

  test("no member is added while one is unhealthy", () => {
    const all = { wanted: { ...wanted, replicas: 5 } };
    expect(stepOf(three, all)).toEqual({ kind: "add-learner", member: "c-3" });
    expect(stepOf([slot(0), slot(1), slot(2, { isAway: true })], all).kind).toBe("wait");
  });

  test("a name is used again only when nothing of it is left", () => {
    const rest = { ...slot(1), member: undefined, pod: pod({ isTerminating: true }) };
    expect(stepOf([slot(0), rest, slot(2)])).toEqual({ kind: "add-learner", member: "c-3" });
    expect(stepOf([slot(0), slot(2)])).toEqual({ kind: "add-learner", member: "c-1" });
  });

  test("scaling in takes a member that is away first, and never the leader before it handed over", () => {
    const one = { wanted: { ...wanted, replicas: 1 } };
    expect(stepOf([slot(0), slot(1, { isAway: true }), slot(2)], one)).toMatchObject({ member: "c-1" });
    expect(stepOf(three, one)).toMatchObject({ kind: "remove-member", member: "c-2" });
    const led = three.map((each) => ({ ...each, status: each.status && { ...each.status, leader: "id2" } }));
    expect(stepOf(led, one)).toEqual({ kind: "move-leader", from: "c-2", to: "c-0", id: "id0" });
  });

  test("a change rolls one member at a time, followers first, and waits for all to be healthy", () => {
    const old = (ordinal: number, changes: Changes = {}) =>
      slot(ordinal, { pod: pod({ hash: "old" }), ...changes });
    expect(stepOf([old(0), old(1), old(2)])).toMatchObject({ kind: "restart", member: "c-2" });
    expect(stepOf([old(0), old(1), slot(2, { isAway: true })]).kind).toBe("wait");
    expect(stepOf([old(0), slot(1), slot(2)])).toMatchObject({ kind: "move-leader", from: "c-0", to: "c-1" });
    expect(stepOf([old(0)], { wanted: { ...wanted, replicas: 1 } })).toMatchObject({
      kind: "restart",
      member: "c-0",
    });
  });

  test("a broken member takes up a change that may repair it, before the healthy ones", () => {
    const broken = slot(1, { isAway: true, pod: pod({ hash: "old", isReady: false }) });
    const old = slot(2, { pod: pod({ hash: "old" }) });
    expect(stepOf([slot(0), broken, old])).toMatchObject({ kind: "restart", member: "c-1" });
  });

  test("a full member: history is compacted, members defragmented with the leader last, the alarm cleared", () => {
    const mebibyte = 1024 * 1024;
    const sized = (ordinal: number, dbSize: number): Slot => {
      const each = slot(ordinal, { alarms: ["NOSPACE"] });
      return { ...each, status: each.status && { ...each.status, dbSize, dbSizeInUse: mebibyte } };
    };
    const full = [0, 1, 2].map((ordinal) => sized(ordinal, 100 * mebibyte));
    const quota = { wanted: { ...wanted, quota: 100 * mebibyte } };
    const history = { revision: 9, compactRevision: 4 };
    expect(stepOf(full, { ...quota, history })).toEqual({ kind: "compact", revision: 9 });
    const compacted = { ...quota, history: { revision: 9, compactRevision: 9 } };
    expect(stepOf(full, compacted)).toEqual({ kind: "defragment", member: "c-1" });
    const small = sized(1, 2 * mebibyte);
    expect(stepOf([sized(0, 100 * mebibyte), small, sized(2, 2 * mebibyte)], compacted)).toEqual({
      kind: "defragment",
      member: "c-0",
    });
    const all = [0, 1, 2].map((ordinal) => sized(ordinal, 2 * mebibyte));
    expect(stepOf(all, compacted)).toMatchObject({ kind: "disarm", member: "c-0", alarm: "NOSPACE" });
    expect(stepOf(all, { ...compacted, wanted: { ...wanted, quota: 2 * mebibyte } })).toMatchObject({
      kind: "wait",
    });
  });

  test("a recovery takes the pods of the others away before the survivor begins anew", () => {
    const lost = { membership: undefined, wanted: { ...wanted, recoverFrom: "c-1" } };
    expect(stepOf(three, lost)).toEqual({ kind: "delete-pod", member: "c-0" });
    const alone = [{ ...slot(0), pod: undefined }, slot(1), { ...slot(2), pod: undefined }];
    expect(stepOf(alone, lost)).toMatchObject({ kind: "restart", member: "c-1" });
    expect(stepOf([{ ...slot(1), pod: undefined }], lost)).toEqual({
      kind: "start",
      member: "c-1",
      how: "recover",
    });
    expect(stepOf(three, { wanted: { ...wanted, recoverFrom: "c-1" } })).toEqual({ kind: "none" });
  });
});

// The decision, question by question, on observations made by hand.
import { describe, expect, test } from "vitest";
import { hello, pod, slot } from "./fixtures/slots.js";
import { nextStep } from "./next-step.js";
import type { Observed, Slot, Wanted } from "./observed.js";

const wanted: Wanted = {
  members: 3,
  arbiters: 0,
  version: "4.2.6",
  featureCompatibilityVersion: undefined,
  horizons: [],
  users: [],
  roles: [],
  isPaused: false,
  obstacle: undefined,
  forceFrom: undefined,
};

const operatorUser = { user: "mongodb-operator", db: "admin", roles: [], credentials: {}, customData: {} };

/** A pod whose mongod belongs to no set. */
const fresh = (ordinal: number): Slot =>
  slot(ordinal, {
    member: undefined,
    isVoter: false,
    report: undefined,
    hello: { ...hello, setName: undefined, isSecondary: false },
  });
const silent = { hello: undefined, report: undefined } as const;

function observed(slots: readonly Slot[], changes: Partial<Observed> = {}): Observed {
  const primary = slots.find((each) => each.hello?.isPrimary)?.name;
  const members = slots.flatMap(({ member }) => (member ? [member] : []));
  const inside = {
    config: { _id: "db", version: 1, members, settings: { replicaSetId: "id" } },
    term: 1,
    compatibility: "4.2",
    unsetWriteConcern: undefined,
    users: [operatorUser],
    roles: [],
  };
  return {
    now: 2_000_000,
    name: "db",
    wanted,
    replicaSetId: "id",
    slots,
    primary,
    inside: primary === undefined ? undefined : inside,
    loginProblem: undefined,
    hold: undefined,
    storage: { size: "10G", smaller: [], isTemplateOld: false },
    certificates: undefined,
    operators: [{ user: "mongodb-operator", db: "admin" }],
    areTemplatesSeen: true,
    ...changes,
  };
}

const stepOf = (state: Observed) => nextStep(state).step;
const three = [slot(0), slot(1), slot(2)];

describe("the next step", () => {
  test("is none when all is as asked", () => {
    expect(nextStep(observed(three))).toEqual({ activity: "Running", step: { kind: "none" } });
  });

  describe("of a set that was never initiated", () => {
    const begin = (slots: readonly Slot[]) => stepOf(observed(slots, { replicaSetId: undefined }));
    test("initiates the first member when all have answered that they belong to none", () => {
      expect(begin([fresh(0), fresh(1), fresh(2)])).toEqual({ kind: "initiate", member: "db-0" });
    });
    test("waits for one that does not answer: it may have the data", () => {
      expect(begin([fresh(0), fresh(1), { ...fresh(2), hello: undefined }])).toMatchObject({ kind: "wait" });
    });
    test("waits where one belongs to a set already", () => {
      expect(begin([fresh(0), slot(1, { isPrimary: false }), fresh(2)])).toMatchObject({ kind: "wait" });
    });
  });

  test("is never to initiate once an id is recorded, even if all members are empty", () => {
    const { step, activity } = nextStep(observed([fresh(0), fresh(1), fresh(2)]));
    expect(step.kind).toBe("wait");
    expect(activity).toBe("Electing");
  });

  test("makes the operator's user on a primary that does not know it", () => {
    expect(stepOf(observed(three, { inside: undefined }))).toEqual({
      kind: "create-operator-user",
      member: "db-0",
    });
  });

  test("changes nothing in a set of another id than the recorded one", () => {
    expect(stepOf(observed(three, { replicaSetId: "another" }))).toMatchObject({ kind: "wait" });
  });

  test("adds one member without a vote, and only while all voters are healthy", () => {
    expect(stepOf(observed([slot(0), slot(1), fresh(2)]))).toMatchObject({
      kind: "add-member",
      member: "db-2",
      entry: { votes: 0, priority: 0 },
    });
    expect(stepOf(observed([slot(0), slot(1, silent), fresh(2)]))).toMatchObject({ kind: "wait" });
  });

  test("gives a vote to a member that has caught up, and to no other", () => {
    const pending = slot(2, { votes: 0 });
    expect(stepOf(observed([slot(0), slot(1), pending]))).toEqual({ kind: "promote", member: "db-2" });
    const late = pending.report && { ...pending, report: { ...pending.report, writtenAt: 980_000 } };
    expect(stepOf(observed([slot(0), slot(1), late ?? pending]))).toMatchObject({ kind: "wait" });
  });

  test("gives no eighth vote", () => {
    const slots = Array.from({ length: 9 }, (_, ordinal) => slot(ordinal, { votes: ordinal < 7 ? 1 : 0 }));
    expect(stepOf(observed(slots, { wanted: { ...wanted, members: 9 } }))).toEqual({ kind: "none" });
  });

  test("removes the highest number, a primary only after it has stepped down, and nobody who is needed for a majority", () => {
    const fewer = { wanted: { ...wanted, members: 2 } };
    expect(stepOf(observed(three, fewer))).toMatchObject({ kind: "remove-member", member: "db-2" });
    const last = [slot(0, { isPrimary: false }), slot(1), slot(2, { isPrimary: true })];
    expect(stepOf(observed(last, fewer))).toMatchObject({ kind: "step-down", member: "db-2" });
    expect(stepOf(observed([slot(0), slot(1, silent), slot(2)], fewer))).toMatchObject({ kind: "wait" });
  });

  test("starts outdated members again one at a time, the primary last", () => {
    const old = { pod: { ...pod, isCurrent: false } };
    expect(stepOf(observed([slot(0, old), slot(1, old), slot(2, old)]))).toMatchObject({
      kind: "restart",
      member: "db-2",
    });
    expect(stepOf(observed([slot(0, old), slot(1, old), slot(2, silent)]))).toMatchObject({ kind: "wait" });
    expect(stepOf(observed([slot(0, old), slot(1), slot(2)]))).toMatchObject({
      kind: "step-down",
      member: "db-0",
    });
  });

  test("without a majority is to wait; by force only from the member that is named, if it answers", () => {
    const lost = [slot(0, silent), slot(1), slot(2, silent)];
    const state = observed(lost, { primary: undefined, inside: undefined });
    expect(nextStep(state)).toMatchObject({ activity: "MajorityLost", step: { kind: "wait" } });
    const from = (forceFrom: string) => stepOf({ ...state, wanted: { ...wanted, forceFrom } });
    expect(from("db-1")).toEqual({ kind: "force", member: "db-1" });
    expect(from("db-0")).toMatchObject({ kind: "wait" });
  });

  describe("about certificates", () => {
    const next = { material: { ca: "ca", certificateKey: "pem" }, what: "another" };
    const certificates = { mounted: "new", startedWith: "all", isExpired: false, next: undefined };
    const newer = { hello: { ...hello, version: "5.0.31" } };
    test("from 5.0 on has a member reload that shows another than the mounted one", () => {
      const slots = [
        slot(0, { served: "new" }),
        slot(1, { served: "old", ...newer }),
        slot(2, { served: "new" }),
      ];
      expect(stepOf(observed(slots, { certificates }))).toEqual({
        kind: "reload-certificate",
        member: "db-1",
      });
      const old = [slot(0, { served: "new" }), slot(1, { served: "old" }), slot(2, { served: "new" })];
      expect(stepOf(observed(old, { certificates }))).toEqual({ kind: "none" });
    });
    test("mounts the next only when all are healthy and show the one before", () => {
      const state = { certificates: { ...certificates, next } };
      expect(stepOf(observed(three, state))).toEqual({ kind: "exchange-certificate", ...next });
      expect(stepOf(observed([slot(0), slot(1), slot(2, silent)], state))).toMatchObject({ kind: "wait" });
      const before = slot(1, { pod: { ...pod, startedWith: "another CA" } });
      expect(stepOf(observed([slot(0), before, slot(2)], state))).toMatchObject({ kind: "wait" });
    });
    test("replaces an expired one even if no member answers, and restarts members that show it", () => {
      const lost = [slot(0, silent), slot(1, silent), slot(2, silent)];
      const state = { primary: undefined, inside: undefined };
      const expired = {
        certificates: { mounted: "old", startedWith: "all", isExpired: true, next },
        ...state,
      };
      expect(stepOf(observed(lost, expired))).toMatchObject({ kind: "exchange-certificate" });
      const late = lost.map((each) => ({ ...each, served: "old" }));
      expect(stepOf(observed(late, { certificates, ...state }))).toMatchObject({
        kind: "restart",
        member: "db-0",
      });
    });
  });

  test("raises the compatibility version only when every member runs a version that has it", () => {
    const asked = { wanted: { ...wanted, featureCompatibilityVersion: "4.4" } };
    const newer = { hello: { ...hello, version: "4.4.29" } };
    const primary = { hello: { ...newer.hello, isPrimary: true, isSecondary: false } };
    expect(stepOf(observed([slot(0, primary), slot(1, newer), slot(2)], asked))).toEqual({ kind: "none" });
    expect(stepOf(observed([slot(0, primary), slot(1, newer), slot(2, newer)], asked))).toEqual({
      kind: "set-compatibility",
      version: "4.4",
    });
  });
});

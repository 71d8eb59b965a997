// Members in states that should pass, and how long they may.
import { expect, test } from "vitest";
import type { MemberState } from "../client/replica-set-documents.js";
import { isStuck, problemOf } from "./member-problem.js";
import type { Slot } from "./observed.js";

const minute = 60_000;

function slotIn(state: MemberState, message?: string): Slot {
  const pod = {
    isReady: true,
    isTerminating: false,
    isScheduled: true,
    createdAt: 0,
    isCurrent: true,
    startedWith: "all",
    node: "node",
    problem: undefined,
  };
  const hello = {
    isPrimary: false,
    isSecondary: state === "SECONDARY",
    isArbiter: false,
    setName: "db",
    primary: "db-0",
    version: "7.0.14",
  };
  return {
    name: "db-1",
    ordinal: 1,
    isArbiter: false,
    address: "db-1:27017",
    pod,
    claim: undefined,
    hello,
    member: { _id: 1, host: "db-1:27017" },
    report: { host: "db-1:27017", state, isUp: true, writtenAt: 0, message: undefined },
    own: { state, message },
    isVoter: true,
    stateSince: 0,
    served: undefined,
    unhealthySince: undefined,
  };
}

test.each<[MemberState, number]>([
  ["RECOVERING", 1],
  ["ROLLBACK", 1],
  ["STARTUP", 5],
  ["STARTUP2", 15],
])("a member in %s is stuck after %d minutes, and the remedy is named then", (state, minutes) => {
  const slot = slotIn(state, "in its words");
  expect(isStuck(slot, minutes * minute - 1)).toBe(false);
  expect(problemOf(slot, minutes * minute - 1)).toMatch(
    new RegExp(`^it is in the state ${state}: .*in its words\\)$`),
  );
  expect(isStuck(slot, minutes * minute)).toBe(true);
  expect(problemOf(slot, minutes * minute)).toMatch(/for too long: (if it does not|see the log)/);
});

test("a member that serves, or whose pod is gone, is not stuck in a state", () => {
  expect(isStuck(slotIn("SECONDARY"), 1e9)).toBe(false);
  expect(problemOf(slotIn("SECONDARY"), 1e9)).toBeUndefined();
  const gone = { ...slotIn("RECOVERING"), pod: undefined, hello: undefined, own: undefined };
  expect(isStuck(gone, 1e9)).toBe(false);
  expect(problemOf(gone, 1e9)).toBe("it has no pod");
});

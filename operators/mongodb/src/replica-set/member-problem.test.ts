// Members in states that should pass, and how long they may.
import { expect, test } from "vitest";
import type { MemberState } from "../client/replica-set-documents.js";
import { hello, host, slot } from "./fixtures/slots.js";
import { isStuck, problemOf } from "./member-problem.js";
import type { Slot } from "./observed.js";

const minute = 60_000;

const slotIn = (state: MemberState, message?: string): Slot =>
  slot(1, {
    own: { state, message },
    report: { host: host("db-1"), state, isUp: true, writtenAt: 0, message: undefined },
    hello: { ...hello, isSecondary: state === "SECONDARY" },
  });

test.each<[MemberState, number]>([
  ["RECOVERING", 1],
  ["ROLLBACK", 1],
  ["STARTUP", 5],
  ["STARTUP2", 15],
])("a member in %s is stuck after %d minutes, and the remedy is named then", (state, minutes) => {
  const member = slotIn(state, "in its words");
  expect(isStuck(member, minutes * minute - 1)).toBe(false);
  expect(problemOf(member, minutes * minute - 1)).toMatch(
    new RegExp(`^it is in the state ${state}: .*in its words\\)$`),
  );
  expect(isStuck(member, minutes * minute)).toBe(true);
  expect(problemOf(member, minutes * minute)).toMatch(/for too long: (if it does not|see the log)/);
});

test("a member that serves, or whose pod is gone, is not stuck in a state", () => {
  expect(isStuck(slotIn("SECONDARY"), 1e9)).toBe(false);
  expect(problemOf(slotIn("SECONDARY"), 1e9)).toBeUndefined();
  const gone = { ...slotIn("RECOVERING"), pod: undefined, hello: undefined, own: undefined };
  expect(isStuck(gone, 1e9)).toBe(false);
  expect(problemOf(gone, 1e9)).toBe("it has no pod");
});

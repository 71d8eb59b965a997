// What is wrong with a member, in words for people, and whether a state that should pass has lasted too long.
import type { MemberState } from "../client/replica-set-documents.js";
import { isHealthy, type Slot, stateOf } from "./observed.js";

/** How long a member may be in a state that passes by itself, in milliseconds. A first copy of much data takes its time. */
const patience: Readonly<Partial<Record<MemberState, number>>> = {
  RECOVERING: 60_000,
  ROLLBACK: 60_000,
  STARTUP: 5 * 60_000,
  STARTUP2: 15 * 60_000,
};

const explained: Readonly<Partial<Record<MemberState, string>>> = {
  RECOVERING: "it serves no reads, and may be too far behind to catch up",
  ROLLBACK: "it takes back writes that no majority had",
  STARTUP: "it has not taken up its configuration",
  STARTUP2: "it copies the data",
};

const remedies: Readonly<Partial<Record<MemberState, string>>> = {
  RECOVERING: "if it does not catch up, delete its claim and its pod, and it copies the data anew",
  ROLLBACK: "if it does not end, delete its claim and its pod, and it copies the data anew",
  STARTUP: "see the log of its pod",
  STARTUP2: "see the log of its pod",
};

/** It has been too long in a state that should pass. */
export function isStuck(slot: Slot, now: number): boolean {
  const limit = patience[stateOf(slot)];
  return slot.hello !== undefined && limit !== undefined && now - slot.stateSince >= limit;
}

/** What is wrong with it; undefined where it is healthy. */
export function problemOf(slot: Slot, now: number): string | undefined {
  if (isHealthy(slot)) return undefined;
  const { pod, hello, report, own } = slot;
  if (!pod) return "it has no pod";
  if (pod.problem) return pod.problem;
  if (pod.isTerminating) return "its pod ends";
  if (!hello) return "it does not answer";
  const state = stateOf(slot);
  const words = explained[state];
  if (words !== undefined) {
    const why = own?.message ? ` (${own.message})` : "";
    const remedy = isStuck(slot, now) ? `, for too long: ${remedies[state]}` : "";
    return `it is in the state ${state}: ${words}${why}${remedy}`;
  }
  if (report && !report.isUp)
    return `the primary does not hear it${report.message ? `: ${report.message}` : ""}`;
  if (!report) return "no primary reports on it";
  return pod.isReady ? `it is in the state ${state}` : "its pod is not ready";
}

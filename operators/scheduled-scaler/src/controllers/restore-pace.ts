// How often a size is put back that others keep changing: soon at first, then at growing intervals, so that two controllers that
// disagree do not restart pods without end.
import type { Hpa } from "../api/v1/hpa.js";
import { instantOf } from "./plan.js";

const firstPause = 10_000;
const longestPause = 10 * 60_000;
/** Changes further apart than this have nothing to do with each other. */
const forgottenAfter = 60 * 60_000;
/** From this many on, somebody else is said to set the size too. */
const contestedFrom = 3;

/** How often in a row the size was put back. */
export function restoredInARow({ status }: Hpa, now: number): number {
  const last = instantOf(status?.lastRestoreTime);
  return last === undefined || now - last > forgottenAfter ? 0 : (status?.restored ?? 0);
}

/** The time when it may be put back the next time. */
export function nextRestore(hpa: Hpa, now: number): number {
  const count = restoredInARow(hpa, now);
  if (count === 0) return now;
  const pause = Math.min(longestPause, firstPause * 2 ** (count - 1));
  return (instantOf(hpa.status?.lastRestoreTime) ?? now) + pause;
}

export const isContested = (hpa: Hpa, now: number): boolean => restoredInARow(hpa, now) >= contestedFrom;

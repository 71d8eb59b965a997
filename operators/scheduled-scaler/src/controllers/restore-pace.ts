// The backoff of restoring a size that others keep changing: soon at first, then at growing intervals, so that two
// controllers that disagree do not restart pods without end.
import type { Hpa } from "../api/v1/hpa.js";
import { instantOf } from "./plan.js";

const firstPause = 10_000;
const longestPause = 10 * 60_000;
/** Changes further apart than this have nothing to do with each other. */
const forgottenAfter = 60 * 60_000;
/** From this many restores in a row on, the condition Conflicting is True. */
const conflictingFrom = 3;

/** The number of restores of the size in a row. */
export function restoredInARow({ status }: Hpa, now: number): number {
  const last = instantOf(status?.lastRestoreTime);
  return last === undefined || now - last > forgottenAfter ? 0 : (status?.restored ?? 0);
}

/** The time when the size may be restored next. */
export function nextRestore(hpa: Hpa, now: number): number {
  const count = restoredInARow(hpa, now);
  if (count === 0) return now;
  const pause = Math.min(longestPause, firstPause * 2 ** (count - 1));
  return (instantOf(hpa.status?.lastRestoreTime) ?? now) + pause;
}

export const isConflicting = (hpa: Hpa, now: number): boolean => restoredInARow(hpa, now) >= conflictingFrom;

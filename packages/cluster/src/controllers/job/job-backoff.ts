// After a failure the next pod waits, and twice as long each time; a success wipes the slate.
import type { Pod } from "@kubewright/api";
import { endOf, failuresOf, ignoredFailuresOf } from "./job-pods.js";

const firstDelay = 10_000;
const longestDelay = 600_000;

/** The failures since the last success. */
export interface BackoffRecord {
  readonly failures: number;
  readonly lastFailure: number;
}

export const noFailures: BackoffRecord = { failures: 0, lastFailure: 0 };

/** The record after more pods have ended. */
export function recordEnds(
  record: BackoffRecord,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
  now: number,
): BackoffRecord {
  const failures = failed.map((pod) => Math.min(now, endOf(pod, now)));
  if (succeeded.length === 0)
    return {
      failures: record.failures + failures.length,
      lastFailure: Math.max(record.lastFailure, ...failures),
    };
  const lastSuccess = Math.max(...succeeded.map((pod) => endOf(pod, now)));
  const since = failures.filter((time) => time > lastSuccess);
  return since.length === 0 ? noFailures : { failures: since.length, lastFailure: Math.max(...since) };
}

/** How many milliseconds until the next pod may start. */
export function backoffLeft({ failures, lastFailure }: BackoffRecord, now: number): number {
  if (failures === 0) return 0;
  const delay = Math.min(firstDelay * 2 ** (failures - 1), longestDelay);
  return Math.max(0, lastFailure + delay - now);
}

/** How many milliseconds until the index of a failed pod may be tried again. */
export function indexBackoffLeft(failed: Pod | undefined, now: number): number {
  if (!failed) return 0;
  const failures = failuresOf(failed) + ignoredFailuresOf(failed) + 1;
  return backoffLeft({ failures, lastFailure: Math.min(now, endOf(failed, now)) }, now);
}

// Counting pods so that none is lost or counted twice, wherever the controller stops: a pod that has ended is first written
// down in the status, then released from its finalizer, and only then added to the numbers.
import type { Job, JobStatus, Pod } from "@kubewright/api";
import type { FinishedCondition } from "./finished-condition.js";
import { hasFailed, indexOf, isIndexed, isTracked } from "./job-pods.js";
import { counts, isValidIndex, type JobProgress } from "./job-progress.js";

/** No more pods than this stand in the status at once. */
const mostUncounted = 500;

type Uncounted = NonNullable<JobStatus["uncountedTerminatedPods"]>;

export interface Count {
  readonly uncounted: Uncounted;
  /** Pods whose finalizer to remove once that is written. */
  readonly release: readonly Pod[];
  /** Of those, the ones that ended just now. */
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
  /** Whether some had to be left for the next time. */
  readonly isPartial: boolean;
}

/** The pods to count in the status, and the pods to release from the finalizer. Once the Job is over, none keeps it. */
export function countPods(job: Job, progress: JobProgress, finished: FinishedCondition | undefined): Count {
  const before = job.status?.uncountedTerminatedPods ?? {};
  const known = new Set([...(before.succeeded ?? []), ...(before.failed ?? [])]);
  const candidates = progress.pods.filter((pod) => isTracked(pod) && mayGo(job, progress, pod, finished));
  const release = candidates.slice(0, mostUncounted);
  const fresh = release.filter((pod) => !known.has(uidOf(pod)));
  const succeeded = fresh.filter((pod) => pod.status?.phase === "Succeeded");
  const failed = fresh.filter(
    (pod) =>
      pod.status?.phase !== "Succeeded" &&
      (hasFailed(job, pod) || finished?.type === "Failed") &&
      isValidIndex(job, pod),
  );
  return {
    // The index of a pod that succeeded says enough.
    uncounted: uncountedOf(
      [...(before.succeeded ?? []), ...(isIndexed(job) ? [] : succeeded.map(uidOf))],
      [...(before.failed ?? []), ...failed.filter((pod) => counts(job, pod)).map(uidOf)],
    ),
    release,
    succeeded,
    failed,
    isPartial: release.length < candidates.length,
  };
}

const uidOf = ({ metadata }: Pod): string => metadata?.uid ?? "";

function mayGo(
  job: Job,
  { heldBack }: JobProgress,
  pod: Pod,
  finished: FinishedCondition | undefined,
): boolean {
  if (finished || pod.status?.phase === "Succeeded") return true;
  return hasFailed(job, pod) && heldBack.get(indexOf(pod) ?? -1) !== pod;
}

function uncountedOf(succeeded: readonly string[], failed: readonly string[]): Uncounted {
  return { ...(succeeded.length > 0 ? { succeeded } : {}), ...(failed.length > 0 ? { failed } : {}) };
}

/** The status after finalizers were removed: those pods are numbers now. */
export function settleCounts(status: JobStatus, stillHeld: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const held = (uid: string): boolean => stillHeld.has(uid);
  const succeededNow = (status.succeeded ?? 0) + succeeded.filter((uid) => !held(uid)).length;
  const failedNow = (status.failed ?? 0) + failed.filter((uid) => !held(uid)).length;
  return {
    ...status,
    ...(succeededNow > 0 ? { succeeded: succeededNow } : {}),
    ...(failedNow > 0 ? { failed: failedNow } : {}),
    uncountedTerminatedPods: uncountedOf(succeeded.filter(held), failed.filter(held)),
  };
}

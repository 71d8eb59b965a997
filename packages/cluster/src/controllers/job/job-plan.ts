// The pods that a running Job creates and deletes next.
import type { Job, Pod } from "@kubewright/api";
import { inDeletionOrder } from "../../workload/deletion-order.js";
import { type BackoffRecord, backoffLeft, indexBackoffLeft } from "./job-backoff.js";
import { indexOf, isIndexed, isLimitedPerIndex, type PodOrder, waitsForEnd } from "./job-pods.js";
import { isValidIndex, type JobProgress } from "./job-progress.js";

/** At most this many pods are made or removed in one go. */
const burst = 500;

export interface JobPlan {
  readonly create: readonly PodOrder[];
  readonly delete: readonly Pod[];
  /** Milliseconds until more can be made; 0 when nothing waits for time. */
  readonly wait: number;
}

/** Removes before it makes; never both at once. */
export function jobPlan(job: Job, progress: JobProgress, record: BackoffRecord, now: number): JobPlan {
  const wanted = wantedActive(job, progress);
  const surplus = surplusOf(job, progress, Math.max(0, progress.active.length - wanted));
  if (surplus.length > 0) return { create: [], delete: surplus.slice(0, burst), wait: 0 };
  const terminating = waitsForEnd(job) ? progress.terminating.length : 0;
  const missing = Math.min(wanted - terminating - progress.active.length, burst);
  if (missing <= 0) return { create: [], delete: [], wait: 0 };
  const wait = isLimitedPerIndex(job) ? 0 : backoffLeft(record, now);
  if (wait > 0) return { create: [], delete: [], wait };
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => ({})), delete: [], wait: 0 };
  return orders(freeIndexes(job, progress, missing), progress, now);
}

/** How many pods should be active. */
function wantedActive({ spec }: Job, { succeeded, active }: JobProgress): number {
  const { parallelism = 1, completions, suspend } = spec ?? {};
  if (suspend) return 0;
  // Without a number of completions, the first success ends it: nobody is added, and those at work may finish.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Pods to remove: first pods whose index is surplus, then pods that do least. */
function surplusOf(job: Job, { active }: JobProgress, least: number): readonly Pod[] {
  if (least === 0 && !isIndexed(job)) return [];
  const ordered = inDeletionOrder(active, []);
  const misplaced = isIndexed(job) ? misplacedOf(job, ordered) : new Set<Pod>();
  const rest = ordered.filter((pod) => !misplaced.has(pod));
  return [...misplaced, ...rest.slice(0, Math.max(0, least - misplaced.size))];
}

/** Pods without an index of the Job, and all but the most useful of those that share one. */
function misplacedOf(job: Job, ordered: readonly Pod[]): ReadonlySet<Pod> {
  const best = new Map(ordered.map((pod) => [indexOf(pod), pod]));
  return new Set(ordered.filter((pod) => !isValidIndex(job, pod) || best.get(indexOf(pod)) !== pod));
}

/** The smallest indexes nobody works on. */
function freeIndexes(job: Job, progress: JobProgress, count: number): readonly number[] {
  const terminating = waitsForEnd(job) ? progress.terminating : [];
  const taken = new Set([
    ...progress.completedIndexes,
    ...(progress.failedIndexes ?? []),
    ...[...progress.active, ...terminating].map(indexOf),
  ]);
  const free: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && free.length < count; index++)
    if (!taken.has(index)) free.push(index);
  return free;
}

/** Indexes whose own pause is over, and how long until the next one is. */
function orders(indexes: readonly number[], { heldBack }: JobProgress, now: number): JobPlan {
  const waits = indexes.map((index) => indexBackoffLeft(heldBack.get(index), now));
  const create = indexes
    .filter((_index, at) => waits[at] === 0)
    .map((index) => ({ index, replaced: heldBack.get(index) }));
  const later = waits.filter((wait) => wait > 0);
  return { create, delete: [], wait: later.length > 0 ? Math.min(...later) : 0 };
}

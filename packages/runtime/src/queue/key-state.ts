// The state of the keys of a work queue, for timelines and dashboards.
import type { Priority, WorkEntry } from "./work-entry.js";

/** Where a key is in the work queue: waiting, in flight, delayed or failed, since when, and why it is due. */
export interface KeyState {
  readonly key: string;
  readonly state: "waiting" | "in flight" | "delayed" | "failed";
  readonly priority: Priority;
  /** The time when it began to wait, on the monotonic clock; undefined unless it waits or is in flight. */
  readonly since: number | undefined;
  /** The time when it is due, on the monotonic clock; undefined unless it is delayed. */
  readonly due: number | undefined;
  /** Failures since it last succeeded. */
  readonly failures: number;
  /** Why it is wanted next. */
  readonly reasons: readonly string[];
}

export function describeEntry(entry: WorkEntry): KeyState {
  const { key, priority, failures, heapIndex } = entry;
  const isDelayed = heapIndex !== -1;
  const isIdle = entry.state === "idle";
  return {
    key,
    state: entry.state === "taken" ? "in flight" : isIdle ? (isDelayed ? "delayed" : "failed") : "waiting",
    priority,
    since: isIdle ? undefined : entry.since,
    due: isDelayed ? entry.due : undefined,
    failures,
    reasons: entry.reasons ?? [],
  };
}

const order: readonly KeyState["state"][] = ["in flight", "waiting", "delayed", "failed"];

/** The first so many: those in flight, those that wait, then by when they are due. */
export function describeEntries(entries: Iterable<WorkEntry>, limit: number): readonly KeyState[] {
  return [...entries]
    .map(describeEntry)
    .sort(
      (one, other) =>
        order.indexOf(one.state) - order.indexOf(other.state) ||
        (one.due ?? one.since ?? 0) - (other.due ?? other.since ?? 0),
    )
    .slice(0, limit);
}

// The timeline: recent reconciles. Those that wrote, recorded an event or failed are kept apart from those that found
// nothing to do, so that a resync of thousands of objects does not push out what people ask about.
import type { Clock } from "@kubewright/api";
import type { Outcome } from "../controller/outcome.js";
import type { EventInput } from "../controller/reconcile-context.js";
import type { ReconcileObserver, ReconcileRecord } from "../controller/reconcile-observer.js";
import type { ReadRecord, WriteRecord } from "../controller/run-notes.js";
import { Ring } from "./ring.js";

/** One reconcile: why it ran, what it wrote, how long it took, how it ended. */
export interface TimelineRecord {
  readonly controller: string;
  readonly key: string;
  /** Why it was reconciled. */
  readonly reasons: readonly string[];
  readonly outcome: Outcome["kind"];
  readonly error?: string | undefined;
  /** RFC 3339. */
  readonly began: string;
  /** Its duration, and the time its key had waited, in milliseconds. */
  readonly duration: number;
  readonly waited: number;
  /** The requeue delay it asked for, in milliseconds. */
  readonly requeueAfter?: number | undefined;
  /** As in the log; undefined when nothing was logged. */
  readonly reconcileID?: string | undefined;
  /** Those from the server; those from caches while somebody watched them. */
  readonly reads: readonly ReadRecord[];
  readonly writes: readonly WriteRecord[];
  readonly events: readonly EventInput[];
}

/** Which reconciles of the timeline to return: by controller and key, and how many. */
export interface TimelineQuery {
  readonly controller?: string | undefined;
  readonly key?: string | undefined;
  /** Default: 100. */
  readonly limit?: number | undefined;
}

export class Timeline implements ReconcileObserver {
  readonly #clock: Clock;
  readonly #eventful: Ring<ReconcileRecord>;
  readonly #quiet: Ring<ReconcileRecord>;
  readonly #listeners = new Set<(record: TimelineRecord) => void>();
  #order = 0;
  #readWatchers = 0;

  /** Keeps so many reconciles that did something, and as many that did nothing. */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#eventful = new Ring(limit);
    this.#quiet = new Ring(limit);
  }

  reconciled(record: ReconcileRecord): void {
    const { outcome, writes, events } = record;
    const order = this.#order++;
    if (outcome.kind === "success") {
      const isQuiet = writes.length === 0 && events.length === 0;
      (isQuiet ? this.#quiet : this.#eventful).push(record, order);
    } else this.#eventful.push(slim(record), order);
    if (this.#listeners.size > 0) this.#notify(record);
  }

  /** Calls back for every reconcile from now on, until the returned function is called. */
  onRecord(listener: (record: TimelineRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets reconciles note what they read from caches, too, until the returned function is called. */
  watchReads(): () => void {
    this.#readWatchers += 1;
    let isWatching = true;
    return () => {
      if (isWatching) this.#readWatchers -= 1;
      isWatching = false;
    };
  }

  get areWatched(): boolean {
    return this.#readWatchers > 0;
  }

  /** The latest first. */
  records({ controller, key, limit = 100 }: TimelineQuery = {}): readonly TimelineRecord[] {
    const found: { readonly item: ReconcileRecord; readonly order: number }[] = [];
    for (const ring of [this.#eventful, this.#quiet]) {
      let left = limit;
      for (const kept of ring.latest()) {
        if (left === 0) break;
        const { item } = kept;
        if (controller !== undefined && item.controller !== controller) continue;
        if (key !== undefined && item.key !== key) continue;
        found.push(kept);
        left -= 1;
      }
    }
    found.sort((one, other) => other.order - one.order);
    return found.slice(0, limit).map(({ item }) => timelineRecord(item, this.#offset));
  }

  #notify(record: ReconcileRecord): void {
    const told = timelineRecord(slim(record), this.#offset);
    for (const listener of this.#listeners) listener(told);
  }

  /** From the monotonic clock to the time of day. */
  get #offset(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}

/** An error may hold on to much more than its message. */
function slim(record: ReconcileRecord): ReconcileRecord {
  const { outcome } = record;
  if (!("error" in outcome)) return record;
  const { error } = outcome;
  return {
    ...record,
    outcome: { ...outcome, error: error instanceof Error ? error.message : String(error) },
  };
}

function timelineRecord({ outcome, began, ...record }: ReconcileRecord, offset: number): TimelineRecord {
  return {
    ...record,
    outcome: outcome.kind,
    error: "error" in outcome ? String(outcome.error) : undefined,
    began: new Date(began + offset).toISOString(),
    requeueAfter: outcome.kind === "success" ? outcome.requeueAfter : undefined,
  };
}

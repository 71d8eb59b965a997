// Answers what people ask of a running manager: why was this object last reconciled, what did that write, what comes next?
import type { Clock } from "@kubewright/api";
import type { ControllerActivity } from "../controller/activity.js";
import type { KeyState } from "../queue/work-queue.js";
import type { Timeline, TimelineQuery, TimelineRecord } from "./timeline.js";

/** The state of a key, with times people read. */
export interface NextReconcile {
  readonly key: string;
  readonly state: KeyState["state"];
  /** RFC 3339; since when it waits or is in flight. */
  readonly since?: string | undefined;
  /** RFC 3339; when it is due, unless something changes before. */
  readonly due?: string | undefined;
  /** Failures since it last succeeded. */
  readonly failures: number;
  readonly reasons: readonly string[];
}

/** The state and the reconciles of one object in one controller. */
export interface ObjectHistory {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  /** The latest first; empty when it is too long ago. */
  readonly history: readonly TimelineRecord[];
  /** Undefined when nothing is planned: it is reconciled when something changes. */
  readonly next: NextReconcile | undefined;
}

/** A queue at one moment. */
export interface QueueSnapshot {
  readonly controller: string;
  /** The kind the controller is for. */
  readonly kind: string;
  readonly fresh: number;
  readonly background: number;
  readonly delayed: number;
  readonly running: number;
  readonly isPaused: boolean;
  /** The first of them. */
  readonly keys: readonly NextReconcile[];
}

/** Selects the reconciles of one object. */
export interface HistoryQuery {
  readonly key: string;
  /** Of the controllers that are asked: their name, or the kind they are for, in any case. Default: all controllers. */
  readonly controller?: string | undefined;
  readonly kind?: string | undefined;
  /** The number of reconciles to report. Default: 10. */
  readonly limit?: number | undefined;
}

export interface ManagerTimelineOptions {
  /** Undefined when none is kept. */
  readonly timeline: Timeline | undefined;
  readonly controllers: () => readonly ControllerActivity[];
  readonly clock: Clock;
}

/** The recent reconciles and the queues of a manager. */
export class ManagerTimeline {
  readonly #options: ManagerTimelineOptions;

  constructor(options: ManagerTimelineOptions) {
    this.#options = options;
  }

  /** The recent reconciles, the latest first. */
  records(query: TimelineQuery = {}): readonly TimelineRecord[] {
    return this.#options.timeline?.records(query) ?? [];
  }

  /** Calls back for every reconcile from now on, until the returned function is called. */
  onRecord(listener: (record: TimelineRecord) => void): () => void {
    return this.#options.timeline?.onRecord(listener) ?? (() => undefined);
  }

  /** Lets reconciles note what they read from caches, too, until the returned function is called. */
  watchReads(): () => void {
    return this.#options.timeline?.watchReads() ?? (() => undefined);
  }

  /** The history of an object, from each controller that is for it. */
  explain({ key, controller, kind, limit = 10 }: HistoryQuery): readonly ObjectHistory[] {
    const wanted = kind?.toLowerCase();
    return this.#options
      .controllers()
      .filter(({ name }) => controller === undefined || name === controller)
      .filter(({ resource }) => wanted === undefined || namesOf(resource).includes(wanted))
      .map(({ name, resource, queue }) => {
        const state = queue?.look(key);
        return {
          controller: name,
          kind: resource.kind,
          key,
          history: this.records({ controller: name, key, limit }),
          next: state && this.#dated(state),
        };
      });
  }

  /** Every queue, with the first keys of each. */
  queues(limit = 100): readonly QueueSnapshot[] {
    return this.#options.controllers().map(({ name, resource, queue, running, isPaused }) => ({
      controller: name,
      kind: resource.kind,
      ...(queue?.depth ?? { fresh: 0, background: 0, delayed: 0 }),
      running: [...running].length,
      isPaused,
      keys: queue?.snapshot(limit).map((state) => this.#dated(state)) ?? [],
    }));
  }

  #dated({ key, state, since, due, failures, reasons }: KeyState): NextReconcile {
    return { key, state, since: this.#date(since), due: this.#date(due), failures, reasons };
  }

  #date(monotonic: number | undefined): string | undefined {
    if (monotonic === undefined) return undefined;
    const { clock } = this.#options;
    return new Date(clock.now() + monotonic - clock.monotonic()).toISOString();
  }
}

function namesOf({ kind, plural }: ControllerActivity["resource"]): readonly string[] {
  return [kind.toLowerCase(), plural];
}

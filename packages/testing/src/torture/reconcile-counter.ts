// Counts the reconciles of each object: one that is reconciled again and again at rest is a hot loop, also where nothing is written.
import type { ReconcileObserver, ReconcileRecord } from "@kubewright/runtime";

/** So many reconciles of one object in so many milliseconds are stopped: they would never end. */
const runawayReconciles = 2_000;
const runawayTime = 10_000;

/** More than this many a second, for minutes, is no waiting for something. */
const mostPerSecond = 5;

export class ReconcileCounter implements ReconcileObserver {
  readonly #now: () => number;
  readonly #stop: () => void;
  readonly #times = new Map<string, number[]>();
  /** The object that was reconciled without end; the manager was stopped there. */
  runaway: string | undefined;

  /** `stop` ends the manager. */
  constructor(now: () => number, stop: () => void) {
    this.#now = now;
    this.#stop = stop;
  }

  reconciled({ controller, key }: ReconcileRecord): void {
    const now = this.#now();
    const id = `${controller} ${key}`;
    const times = this.#times.get(id) ?? [];
    times.push(now);
    this.#times.set(id, times);
    const before = times.at(-runawayReconciles);
    if (before === undefined || now - before >= runawayTime || this.runaway !== undefined) return;
    this.runaway = id;
    this.#stop();
  }

  /** Objects that are still reconciled, again and again, after `since`. */
  restless(since: number): readonly string[] {
    if (this.runaway !== undefined) return [text(this.runaway)];
    const seconds = (this.#now() - since) / 1_000;
    return [...this.#times]
      .filter(([, times]) => times.filter((time) => time >= since).length > seconds * mostPerSecond)
      .map(([id]) => text(id));
  }
}

const text = (id: string): string => `${id} is reconciled without end`;

// The managers that run in this process: what their controllers do now, and every reconcile as it ends.
import type { Clock, Timer } from "@kubewright/api";
import type { NextReconcile, QueueSnapshot, RunningManager, TimelineRecord } from "@kubewright/runtime";
import type {
  ControllerInfo,
  ManagerInfo,
  ManagersUpdate,
  ReconcileInfo,
  ReconcilesUpdate,
} from "../protocol.js";
import { loopsIn } from "./loops.js";

/** Reconciles kept for pages that are opened later. */
const remembered = 500;
/** Keys of a queue that are looked at for those that wait for a retry. */
const lookedAt = 200;
/** Milliseconds between two looks at the queues, and in which reconciles are collected into one update. */
const interval = 1_000;
const pause = 100;

export interface ManagerFeedListener {
  onManagers(update: ManagersUpdate): void;
  onReconciles(update: ReconcilesUpdate): void;
}

interface Entry {
  readonly name: string;
  readonly manager: RunningManager;
  /** The kind each controller is for. */
  kinds: ReadonlyMap<string, string>;
  readonly stop: () => void;
  stopReads?: (() => void) | undefined;
  /** Durations since the last look, by controller. */
  readonly durations: Map<string, number[]>;
  readonly failures: Map<string, number>;
}

export class ManagerFeed {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<ManagerFeedListener>();
  readonly #records: ReconcileInfo[] = [];
  #fresh: ReconcileInfo[] = [];
  #nextId = 1;
  #looking: Timer | undefined;
  #sending: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Shows a manager until the returned function is called. */
  add(name: string, manager: RunningManager): () => void {
    const entry: Entry = {
      name,
      manager,
      kinds: kindsOf(manager),
      stop: manager.timeline.onRecord((record) => this.#note(entry, record)),
      durations: new Map(),
      failures: new Map(),
    };
    this.#entries.set(name, entry);
    this.#watchReads();
    for (const record of manager.timeline.records({ limit: remembered }).toReversed())
      this.#note(entry, record);
    return () => {
      entry.stop();
      entry.stopReads?.();
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
    };
  }

  /** Lets a controller of this process begin no work, or begin again. */
  setPaused(name: string, controller: string, isPaused: boolean): void {
    const entry = this.#entries.get(name);
    if (!entry) throw new Error(`no manager "${name}" runs here`);
    entry.manager.setPaused(controller, isPaused);
  }

  /** Sends what is known at once, then every change. */
  subscribe(listener: ManagerFeedListener): () => void {
    this.#listeners.add(listener);
    this.#watchReads();
    listener.onReconciles({ records: this.#records, loops: this.#loops() });
    listener.onManagers({ managers: this.#look() });
    this.#lookAgain();
    return () => {
      this.#listeners.delete(listener);
      this.#watchReads();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#watchReads();
    for (const { stop } of this.#entries.values()) stop();
    this.#looking?.cancel();
    this.#sending?.cancel();
  }

  /** Reconciles note what they read from caches only while anybody is there to see it. */
  #watchReads(): void {
    for (const entry of this.#entries.values()) {
      if (this.#listeners.size > 0) entry.stopReads ??= entry.manager.timeline.watchReads();
      else {
        entry.stopReads?.();
        entry.stopReads = undefined;
      }
    }
  }

  /** While anybody is there to see it. */
  #lookAgain(): void {
    this.#looking ??= this.#clock.setTimer(interval, () => {
      this.#looking = undefined;
      if (this.#listeners.size === 0) return;
      const update = { managers: this.#look() };
      for (const listener of this.#listeners) listener.onManagers(update);
      this.#lookAgain();
    });
  }

  #look(): readonly ManagerInfo[] {
    return [...this.#entries.values()].map((entry) => ({
      name: entry.name,
      isLeader: entry.manager.isLeader,
      controllers: entry.manager.timeline.queues(lookedAt).map((queue) => controllerInfo(entry, queue)),
    }));
  }

  #note(entry: Entry, record: TimelineRecord): void {
    // A manager may be shown before its controllers are there.
    if (!entry.kinds.has(record.controller)) entry.kinds = kindsOf(entry.manager);
    const kind = entry.kinds.get(record.controller) ?? "";
    const info = { ...reconcileInfo(record), id: this.#nextId++, manager: entry.name, kind };
    this.#records.push(info);
    if (this.#records.length > remembered) this.#records.shift();
    if (this.#listeners.size === 0) return;
    count(entry, record);
    this.#fresh.push(info);
    this.#sending ??= this.#clock.setTimer(pause, () => this.#send());
  }

  #send(): void {
    this.#sending = undefined;
    const records = this.#fresh.slice(-remembered);
    this.#fresh = [];
    const update = { records, loops: this.#loops() };
    for (const listener of this.#listeners) listener.onReconciles(update);
  }

  #loops(): ReconcilesUpdate["loops"] {
    return loopsIn(this.#records, this.#clock.now());
  }
}

const kindsOf = (manager: RunningManager): ReadonlyMap<string, string> =>
  new Map(manager.timeline.queues(0).map(({ controller, kind }) => [controller, kind]));

function count({ durations, failures }: Entry, { controller, duration, outcome }: TimelineRecord): void {
  const known = durations.get(controller);
  if (known) known.push(duration);
  else durations.set(controller, [duration]);
  if (outcome === "failure") failures.set(controller, (failures.get(controller) ?? 0) + 1);
}

/** Takes the durations since the last look with it. */
function controllerInfo(entry: Entry, { controller, kind, keys, ...queue }: QueueSnapshot): ControllerInfo {
  const durations = (entry.durations.get(controller) ?? []).sort((one, other) => one - other);
  const failures = entry.failures.get(controller) ?? 0;
  entry.durations.delete(controller);
  entry.failures.delete(controller);
  return {
    name: controller,
    kind,
    waiting: queue.fresh + queue.background,
    delayed: queue.delayed,
    inFlight: queue.running,
    retries: keys.filter(({ failures }) => failures > 0).map(retryInfo),
    reconciles: durations.length,
    failures,
    median: durations[Math.floor(durations.length / 2)] ?? 0,
    longest: durations.at(-1) ?? 0,
    paused: queue.isPaused,
  };
}

const retryInfo = ({ key, failures, due }: NextReconcile) => ({ key, failures, due });

function reconcileInfo(record: TimelineRecord): Omit<ReconcileInfo, "id" | "manager" | "kind"> {
  const { controller, key, reasons, began, duration, waited, outcome, error, requeueAfter } = record;
  return {
    controller,
    key,
    reasons,
    began,
    duration,
    waited,
    outcome,
    error,
    requeueAfter,
    reads: record.reads,
    writes: record.writes.map(({ verb, kind, key: written, at, duration: time, error: failed }) => ({
      verb,
      kind,
      key: written,
      at,
      duration: time,
      error: failed,
    })),
    events: record.events.map(({ reason, note }) => `${reason}: ${note}`),
  };
}

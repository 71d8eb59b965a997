// What every view draws from: objects, kinds, managers and reconciles, as the server sends them.
import { computed, signal } from "@preact/signals";
import type {
  KindInfo,
  KindProblem,
  LoopInfo,
  ManagerInfo,
  ObjectSummary,
  ReconcileInfo,
} from "../src/protocol.js";
import { subscribe } from "./connection.js";

const keptRecords = 1_000;
const keptSamples = 300;

/** By uid. A new map with every update, so that what is drawn from it follows. */
export const objects = signal<ReadonlyMap<string, ObjectSummary>>(new Map());
export const isSynced = signal(false);
export const problems = signal<readonly KindProblem[]>([]);
export const kinds = signal<readonly KindInfo[]>([]);
export const managers = signal<readonly ManagerInfo[]>([]);
export const reconciles = signal<readonly ReconcileInfo[]>([]);
export const loops = signal<readonly LoopInfo[]>([]);
/** Empty for all. */
export const namespace = signal("");

/** One look at a controller. */
export interface Sample {
  readonly time: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly reconciles: number;
  readonly failures: number;
  readonly median: number;
  readonly longest: number;
}

/** The looks of the last minutes, by `manager/controller`. */
export const samples = signal<ReadonlyMap<string, readonly Sample[]>>(new Map());

export const namespaces = computed(() =>
  [...new Set([...objects.value.values()].map((object) => object.namespace ?? ""))].filter(Boolean).sort(),
);

/** Objects of kinds that are not Kubernetes' own, in the chosen namespace. */
export const customObjects = computed(() =>
  inNamespace([...objects.value.values()].filter((each) => each.custom)),
);

export function inNamespace(all: readonly ObjectSummary[]): readonly ObjectSummary[] {
  const chosen = namespace.value;
  return chosen === ""
    ? all
    : all.filter((each) => each.namespace === undefined || each.namespace === chosen);
}

export function startStore(): void {
  subscribe({ topic: "kinds" }, (update) => {
    kinds.value = update.kinds;
  });
  subscribe({ topic: "objects" }, ({ reset, changed, removed, ...rest }) => {
    if (reset || changed.length > 0 || removed.length > 0) {
      const next = new Map(reset ? [] : objects.value);
      for (const object of changed) next.set(object.uid, object);
      for (const uid of removed) next.delete(uid);
      objects.value = next;
    }
    problems.value = rest.problems;
    isSynced.value = rest.synced;
  });
  subscribe({ topic: "managers" }, (update) => {
    managers.value = update.managers;
    samples.value = withSamples(update.managers);
  });
  subscribe({ topic: "reconciles" }, (update) => {
    const known = new Map(reconciles.value.map((record) => [record.id, record]));
    for (const record of update.records) known.set(record.id, record);
    reconciles.value = [...known.values()].slice(-keptRecords);
    loops.value = update.loops;
  });
}

function withSamples(update: readonly ManagerInfo[]): ReadonlyMap<string, readonly Sample[]> {
  const next = new Map<string, readonly Sample[]>();
  const time = Date.now() / 1000;
  for (const manager of update)
    for (const controller of manager.controllers) {
      const id = `${manager.name}/${controller.name}`;
      const { waiting, inFlight, reconciles: count, failures, median, longest } = controller;
      const sample = { time, waiting, inFlight, reconciles: count, failures, median, longest };
      next.set(id, [...(samples.value.get(id) ?? []).slice(1 - keptSamples), sample]);
    }
  return next;
}

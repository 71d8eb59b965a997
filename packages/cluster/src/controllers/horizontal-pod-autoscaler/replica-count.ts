// The replicas that a metric asks for. Values are thousandths, as Kubernetes counts them.
import type { Pod } from "@kubewright/api";
import { groupPods } from "./pod-groups.js";

/** How far off the target a metric may be before anything is done about it, per direction. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

export interface ReplicaCount {
  readonly replicas: number;
  /** The usage, on average where the target is an average. */
  readonly usage: number;
  /** In percent of what was requested. */
  readonly utilization?: number | undefined;
}

/** The pods of the scale target, and the metric by pod. */
export interface ReplicaCountInput {
  readonly pods: readonly Pod[];
  /** By name of the pod. */
  readonly usage: ReadonlyMap<string, number>;
  readonly isCpu: boolean;
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly now: number;
}

/** Turns what pods use into a share of the target. */
interface Measure {
  ratio(usage: ReadonlyMap<string, number>): number;
  /** The assumed usage of a pod without metrics, when scaling down. */
  assumed(pod: string): number;
}

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

const isWithin = (ratio: number, { up, down }: Tolerances): boolean => ratio >= 1 - down && ratio <= 1 + up;

/** For an average per pod. */
export function averageReplicas(input: ReplicaCountInput, target: number): ReplicaCount {
  const average = (usage: ReadonlyMap<string, number>): number =>
    Math.trunc(sum(usage.values()) / usage.size);
  const measure: Measure = { ratio: (usage) => average(usage) / target, assumed: () => target };
  const { replicas, counted } = countReplicas(input, measure);
  return { replicas, usage: average(counted) };
}

/** For a share, in percent, of what the pods request. */
export function utilizationReplicas(
  input: ReplicaCountInput,
  requests: () => ReadonlyMap<string, number>,
  target: number,
): ReplicaCount {
  let asked: ReadonlyMap<string, number> | undefined;
  const requested = (): ReadonlyMap<string, number> => {
    asked ??= requests();
    return asked;
  };
  const utilization = (usage: ReadonlyMap<string, number>): number => {
    const names = [...usage.keys()].filter((name) => requested().has(name));
    const total = sum(names.map((name) => requested().get(name) ?? 0));
    if (total === 0) throw new Error("no metrics returned matched known pods");
    return Math.trunc((sum(names.map((name) => usage.get(name) ?? 0)) * 100) / total);
  };
  const measure: Measure = {
    ratio: (usage) => utilization(usage) / target,
    assumed: (pod) => Math.trunc(((requested().get(pod) ?? 0) * Math.max(100, target)) / 100),
  };
  const { replicas, counted } = countReplicas(input, measure);
  return {
    replicas,
    usage: Math.trunc(sum(counted.values()) / counted.size),
    utilization: utilization(counted),
  };
}

/** Pods of which nothing is known are taken to use so much that they do not tip the scale. */
function countReplicas(
  input: ReplicaCountInput,
  measure: Measure,
): { readonly replicas: number; readonly counted: ReadonlyMap<string, number> } {
  const { pods, currentReplicas, tolerances } = input;
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count");
  const { ready, unready, missing, ignored } = groupPods(
    pods,
    (name) => input.usage.has(name),
    input.isCpu,
    input.now,
  );
  const counted = new Map([...input.usage].filter(([name]) => !ignored.has(name) && !unready.has(name)));
  if (counted.size === 0)
    throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const ratio = measure.ratio(counted);
  const isGrowing = ratio > 1;
  const unreadyCount = isGrowing && unready.size > 0;
  if (!unreadyCount && missing.size === 0)
    return { replicas: isWithin(ratio, tolerances) ? currentReplicas : Math.ceil(ratio * ready), counted };
  const all = new Map(counted);
  if (ratio !== 1) for (const name of missing) all.set(name, isGrowing ? 0 : measure.assumed(name));
  if (unreadyCount) for (const name of unready) all.set(name, 0);
  return { replicas: cautious(ratio, measure.ratio(all), all.size, input), counted };
}

/** Assumed usage must not reverse the direction. */
function cautious(
  ratio: number,
  assumed: number,
  pods: number,
  { currentReplicas, tolerances }: ReplicaCountInput,
): number {
  if (isWithin(assumed, tolerances) || (ratio < 1 && assumed > 1) || (ratio > 1 && assumed < 1))
    return currentReplicas;
  const replicas = Math.ceil(assumed * pods);
  const turns = (assumed < 1 && replicas > currentReplicas) || (assumed > 1 && replicas < currentReplicas);
  return turns ? currentReplicas : replicas;
}

/** For one value of the whole, which more replicas bring down. */
export function valueReplicas(
  value: number,
  target: number,
  currentReplicas: number,
  pods: readonly Pod[],
  tolerances: Tolerances,
): ReplicaCount {
  const ratio = value / target;
  if (currentReplicas === 0) return { replicas: Math.ceil(ratio), usage: value };
  if (isWithin(ratio, tolerances)) return { replicas: currentReplicas, usage: value };
  if (pods.length === 0)
    throw new Error(
      "unable to calculate ready pods: no pods returned by selector while calculating replica count",
    );
  const ready = pods.filter(
    ({ status }) =>
      status?.phase === "Running" &&
      status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
  );
  return { replicas: Math.ceil(ratio * ready.length), usage: value };
}

/** For one value that is shared out evenly among the replicas. */
export function sharedReplicas(
  value: number,
  target: number,
  statusReplicas: number,
  tolerances: Tolerances,
): ReplicaCount {
  const ratio = value / (target * statusReplicas);
  return {
    replicas: isWithin(ratio, tolerances) ? statusReplicas : Math.ceil(value / target),
    usage: Math.ceil(value / Math.max(1, statusReplicas)),
  };
}

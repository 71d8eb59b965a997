// The taints that follow from a node's conditions.
import { findCondition, formatTime, type Node, type Taint } from "@kubewright/api";

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

/** Conditions that keep new pods away while they hold. */
const pressures: readonly (readonly [condition: string, key: string])[] = [
  ["MemoryPressure", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure", "node.kubernetes.io/disk-pressure"],
  ["PIDPressure", "node.kubernetes.io/pid-pressure"],
  ["NetworkUnavailable", "node.kubernetes.io/network-unavailable"],
];

const unschedulable = "node.kubernetes.io/unschedulable";
const ours: ReadonlySet<string> = new Set([
  notReady,
  unreachable,
  unschedulable,
  ...pressures.map(([, key]) => key),
]);

/** Whether pods are already evicted from a node because it is not ready or unreachable. */
export function isExpelling({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(
    ({ key, effect }) => effect === "NoExecute" && (key === notReady || key === unreachable),
  );
}

/** Whether pods should be evicted from a node. One without a heartbeat so far takes no pods, but keeps those it has. */
export function callsForExpelling({ status }: Node): boolean {
  const ready = findCondition(status?.conditions, "Ready");
  return ready !== undefined && ready.status !== "True";
}

/** All taints the node should have: those of other managers, and those of its conditions. NoExecute only if evictions are allowed. */
export function nodeTaints(
  node: Node,
  now: number,
  { mayExpel }: { readonly mayExpel: boolean },
): readonly Taint[] {
  const before = node.spec?.taints ?? [];
  const wanted = calledFor(node).filter(({ effect }) => mayExpel || effect !== "NoExecute");
  const kept = before.filter((taint) => !ours.has(taint.key) || wanted.some((one) => isSame(one, taint)));
  const added = wanted.filter((one) => !before.some((taint) => isSame(one, taint)));
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))];
}

function calledFor(node: Node): readonly Taint[] {
  const status = (type: string) => findCondition(node.status?.conditions, type)?.status;
  const wanted: Taint[] = [];
  const key = { True: undefined, False: notReady, Unknown: unreachable }[status("Ready") ?? "False"];
  if (key) wanted.push({ key, effect: "NoSchedule" });
  if (key && callsForExpelling(node)) wanted.push({ key, effect: "NoExecute" });
  for (const [type, pressure] of pressures)
    if (status(type) === "True") wanted.push({ key: pressure, effect: "NoSchedule" });
  if (node.spec?.unschedulable) wanted.push({ key: unschedulable, effect: "NoSchedule" });
  return wanted;
}

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

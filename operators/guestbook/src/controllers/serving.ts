import { isConditionTrue, type Pod } from "@kubewright/api";

/** The serving pod: the one that served so far, while it is ready; else the first ready one. The others stand by. */
export function serving(pods: readonly Pod[], active: string | undefined) {
  const ready = pods
    .filter((pod) => !pod.metadata?.deletionTimestamp && isConditionTrue(pod.status?.conditions, "Ready"))
    .map((pod) => pod.metadata?.name ?? "")
    .toSorted();
  const first = ready.find((name) => name === active) ?? ready[0];
  return { active: first, standby: ready.filter((name) => name !== first) };
}

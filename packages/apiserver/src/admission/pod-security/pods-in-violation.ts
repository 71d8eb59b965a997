// Warnings about existing pods when a namespace becomes stricter.

import type { Pod } from "@kubewright/api";
import {
  type LevelVersion,
  levelText,
  type PodLike,
  type StoredObject,
  storedAs,
  violationReasons,
  violationsOf,
} from "@kubewright/kinds";

const mostPods = 3000;

/** One warning for all pods with the same violations. */
export function podsInViolation(
  namespace: string,
  stored: Iterable<StoredObject>,
  level: LevelVersion,
  isExempt: (pod: PodLike) => boolean,
): string[] {
  const all = [...stored];
  const byFault = new Map<string, string[]>();
  for (const object of all.slice(0, mostPods)) {
    const pod = { metadata: object.metadata, spec: storedAs<Pod>(object).spec ?? { containers: [] } };
    const fault = isExempt(pod) ? "" : violationReasons(violationsOf(level, pod));
    if (fault) byFault.set(fault, [...(byFault.get(fault) ?? []), object.metadata.name]);
  }
  const text = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${levelText(level)}"`;
  const unchecked = `new PodSecurity enforce level only checked against the first ${mostPods} of ${all.length} existing pods`;
  const faults = [...byFault].map(
    ([fault, [first = "", ...others]]) => `${first}${andOthers(others.length)}: ${fault}`,
  );
  return [
    ...(all.length > mostPods ? [unchecked] : []),
    ...(faults.length > 0 ? [text, ...faults.sort()] : []),
  ];
}

function andOthers(count: number): string {
  if (count === 0) return "";
  return count === 1 ? " (and 1 other pod)" : ` (and ${count} other pods)`;
}

// The time at which taints evict a pod from its node.
import type { Pod, Taint } from "@kubewright/api";
import { tolerates } from "../../scheduler/node-fit.js";

/** The time a pod has to go, in milliseconds since 1970; undefined when it may stay. */
export function evictionTime(pod: Pod, taints: readonly Taint[], now: number): number | undefined {
  let earliest: number | undefined;
  for (const taint of taints) {
    if (taint.effect !== "NoExecute") continue;
    const matching = (pod.spec?.tolerations ?? []).filter((one) => tolerates(one, taint));
    if (matching.length === 0) return now;
    const seconds = matching.flatMap(({ tolerationSeconds }) =>
      tolerationSeconds === undefined ? [] : [tolerationSeconds],
    );
    if (seconds.length === 0) continue;
    const since = Date.parse(taint.timeAdded ?? "") || now;
    const time = since + Math.max(0, Math.min(...seconds)) * 1000;
    earliest = Math.min(earliest ?? time, time);
  }
  return earliest;
}

// The status of a DaemonSet.
import type { DaemonSetStatus, Pod } from "@kubewright/api";
import { isReady } from "../../workload/pod-state.js";
import { revisionLabel } from "../../workload/template-revisions.js";
import { daemonNodes, isDaemonAvailable, oldestFirst } from "./daemon-nodes.js";
import type { DaemonState } from "./daemon-plan.js";

/** The status of a DaemonSet: of several pods on a node, the oldest counts. */
export function daemonStatus(state: DaemonState): DaemonSetStatus {
  const { set, hash } = state;
  const nodes = daemonNodes(state);
  const suited = nodes.filter(({ shouldRun }) => shouldRun);
  const current = suited.flatMap(({ pods }): readonly Pod[] => pods.toSorted(oldestFirst).slice(0, 1));
  const available = current.filter((pod) => isReady(pod) && isDaemonAvailable(state, pod)).length;
  const { collisionCount, conditions } = set.status ?? {};
  return {
    observedGeneration: set.metadata?.generation,
    desiredNumberScheduled: suited.length,
    currentNumberScheduled: current.length,
    numberMisscheduled: nodes.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
    numberReady: current.filter(isReady).length,
    ...positive({
      numberAvailable: available,
      numberUnavailable: suited.length - available,
      updatedNumberScheduled: current.filter(({ metadata }) => metadata?.labels?.[revisionLabel] === hash)
        .length,
    }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
  };
}

/** Counts of zero are left out, as the server would. */
function positive(counts: Readonly<Record<string, number>>): Partial<DaemonSetStatus> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

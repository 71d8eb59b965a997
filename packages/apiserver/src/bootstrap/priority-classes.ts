import type { Services } from "../registry/request-context.js";
import { createMissing } from "./create-missing.js";

const classes = [
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
];

/** The classes of pods a cluster cannot do without. */
export function createPriorityClasses(services: Services): void {
  for (const { name, value, description } of classes) {
    createMissing(services, "scheduling.k8s.io/priorityclasses", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name, generation: 1 },
      value,
      description,
      preemptionPolicy: "PreemptLowerPriority",
    });
  }
}

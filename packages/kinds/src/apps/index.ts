import type { BuiltInKind } from "../built-in-kind.js";
import { controllerRevisions } from "./controller-revision.js";
import { daemonSets } from "./daemon-set.js";
import { deployments } from "./deployment.js";
import { podTemplates } from "./pod-template.js";
import { replicaSets } from "./replica-set.js";
import { replicationControllers } from "./replication-controller.js";
import { statefulSets } from "./stateful-set.js";

/** Workloads that keep pods running. */
export const appsKinds: readonly BuiltInKind[] = [
  controllerRevisions,
  daemonSets,
  deployments,
  podTemplates,
  replicaSets,
  replicationControllers,
  statefulSets,
];

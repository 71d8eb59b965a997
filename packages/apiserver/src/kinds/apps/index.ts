import type { NativeKind } from "../../registry/native-kinds.js";
import { controllerRevisions } from "./controller-revision.js";
import { daemonSets } from "./daemon-set.js";
import { deployments } from "./deployment.js";
import { podTemplates } from "./pod-template.js";
import { replicaSets } from "./replica-set.js";
import { replicationControllers } from "./replication-controller.js";
import { statefulSets } from "./stateful-set.js";

/** Workloads that keep pods running. */
export const appsKinds: readonly NativeKind[] = [
  controllerRevisions,
  daemonSets,
  deployments,
  podTemplates,
  replicaSets,
  replicationControllers,
  statefulSets,
];

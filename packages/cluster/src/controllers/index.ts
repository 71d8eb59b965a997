// The built-in controllers, by name. Adding one is a folder and a line.
import { scheduler } from "../scheduler/scheduler.js";
import type { BuiltInController } from "./controller.js";
import { cronJobController } from "./cron-job/index.js";
import { daemonSetController } from "./daemon-set/index.js";
import { deploymentController } from "./deployment/index.js";
import { disruptionController } from "./disruption/index.js";
import { endpointSliceController } from "./endpoint-slice/index.js";
import { endpointsController } from "./endpoints/index.js";
import { garbageCollector } from "./garbage-collector/index.js";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/index.js";
import { infrastructureControllers } from "./infrastructure.js";
import { jobController } from "./job/index.js";
import { namespaceController } from "./namespace/index.js";
import { replicaSetController } from "./replica-set/index.js";
import { replicationController } from "./replication-controller/index.js";
import { roleAggregationController } from "./role-aggregation/index.js";
import { rootCertificateController } from "./root-certificate/index.js";
import { serviceAccountController } from "./service-account/index.js";
import { statefulSetController } from "./stateful-set/index.js";
import { timeToLiveController } from "./time-to-live/index.js";

/** In the order they start. */
export const builtInControllers: readonly BuiltInController[] = [
  serviceAccountController,
  rootCertificateController,
  scheduler,
  ...infrastructureControllers,
  deploymentController,
  replicaSetController,
  replicationController,
  statefulSetController,
  daemonSetController,
  jobController,
  timeToLiveController,
  cronJobController,
  endpointSliceController,
  endpointsController,
  disruptionController,
  horizontalPodAutoscalerController,
  roleAggregationController,
  garbageCollector,
  namespaceController,
];

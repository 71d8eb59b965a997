export { watchPods } from "../controller/watch-pods.js";
export { type AutoscalerTarget, autoscaledBy, autoscalerIndex, watchAutoscalers } from "./autoscaling.js";
export { childFailure, failureStatus, tellFailure } from "./child-failure.js";
export { applyDeployment, keepWorkload, type Workload, type WorkloadStatus } from "./keep-workload.js";
export { type PodProblem, podProblem, worstProblem } from "./pod-problem.js";
export { containerPorts, servicePorts } from "./ports.js";
export {
  type DeploymentCounts,
  deploymentCounts,
  deploymentIsSettled,
  type RolloutReport,
  rolloutConditions,
  rolloutReport,
} from "./rollout.js";
export { namedLikeService, workloadColumns, workloadStatus } from "./schema.js";
export {
  addressOf,
  applyService,
  nodePortsOf,
  type ServiceShape,
  type ServiceType,
  serviceSpec,
} from "./service.js";

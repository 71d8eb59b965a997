export { watchPods } from "../controller/watch-pods.js";
export { type AutoscalerTarget, autoscaledBy, autoscalerIndex, watchAutoscalers } from "./autoscaling.js";
export { type DeploymentContext, deploymentPart } from "./deployment.js";
export { deploymentPods } from "./deployment-pods.js";
export { budgetFor, type DisruptionBudget } from "./disruption-budget.js";
export { childFailure, failureStatus, isRefusal, type Problem, problemOf, reportFailure } from "./failure.js";
export { keepWorkload, type WorkloadObjects, type WorkloadOptions } from "./keep-workload.js";
export {
  keepParts,
  objectOf,
  type Part,
  type PartContext,
  type PartOutcome,
  type PartOutcomes,
  type PartsOf,
  part,
} from "./part.js";
export { podProblem, worstProblem } from "./pod-problem.js";
export { mergePodTemplate, type PodTemplate } from "./pod-template.js";
export { containerPorts, servicePorts } from "./ports.js";
export {
  type DeploymentCounts,
  deploymentCounts,
  deploymentIsSettled,
  type RolloutConditions,
  rolloutConditions,
} from "./rollout.js";
export {
  containerImage,
  containerList,
  disruptionBudget,
  environment,
  labelSelector,
  namedLikeService,
  podTemplate,
  resourceRequirements,
  servicePortList,
  workloadColumns,
  workloadStatus,
} from "./schema.js";
export {
  addressOf,
  nodePortsOf,
  type ServiceShape,
  type ServiceType,
  servicePart,
  serviceSpec,
} from "./service.js";
export type { StatusOwner, WorkloadStatus } from "./workload-report.js";

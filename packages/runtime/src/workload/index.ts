export { type AutoscalerTarget, autoscaledBy, autoscalerIndex, watchAutoscalers } from "./autoscaling.js";
export { childFailure } from "./child-failure.js";
export { type PodProblem, podProblem, worstProblem } from "./pod-problem.js";
export { containerPorts, servicePorts } from "./ports.js";
export {
  type DeploymentCounts,
  deploymentCounts,
  deploymentIsSettled,
  rolloutConditions,
} from "./rollout.js";
export { addressOf, nodePortsOf, type ServiceShape, type ServiceType, serviceSpec } from "./service.js";
export { watchPods } from "./watch-pods.js";

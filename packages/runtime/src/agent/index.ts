export {
  type AgentPodOptions,
  agentContainer,
  agentGroup,
  agentPod,
  agentTask,
  agentTaskVariable,
} from "./agent-pod.js";
export {
  type AgentEnd,
  type AgentState,
  type AgentWork,
  agentEnd,
  agentError,
  agentState,
} from "./agent-state.js";
export { operatorImage } from "./operator-image.js";
export { type AgentOutput, runAgent } from "./run-agent.js";

export { Cluster, type ClusterOptions, type Endpoint, type ListenOptions, startCluster } from "./cluster.js";
export { type ControllerSelection, UnknownControllerError } from "./controllers/select-controllers.js";
export { type KubeconfigOptions, kubeconfig } from "./kubeconfig.js";
export {
  type ContainerExit,
  type ContainerRequest,
  type ContainerRuntime,
  ImageError,
  type LogLine,
  type RunningContainer,
} from "./nodes/container-runtime.js";
export { SimulatedRuntime, type SimulatedRuntimeOptions } from "./nodes/simulated-runtime.js";

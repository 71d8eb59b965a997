export { Cluster, type ConnectOptions, PortInUseError, startCluster } from "./cluster.js";
export type { ClusterOptions, Endpoint, ListenOptions } from "./cluster-options.js";
export { type ControllerSelection, UnknownControllerError } from "./controllers/select-controllers.js";
export type { Failure, FailureStatus } from "./faults/failure.js";
export { type FailOptions, type Fault, Faults, type OpenTraffic } from "./faults/faults.js";
export type { RequestFacts, Verb } from "./faults/request-facts.js";
export type { RequestFilter, RequestMatch } from "./faults/request-filter.js";
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
export { ManifestError } from "./seed/manifests.js";
export { type Seed, seededRandom, uidsFrom } from "./seed/seeded-random.js";
export { DataDirectoryInUseError } from "./snapshot/data-directory.js";
export { SnapshotError } from "./snapshot/snapshot-file.js";

export {
  AuditPolicyError,
  DataDirectoryInUseError,
  DataError,
  type FeatureGate,
  featureGates,
  JournalError,
  parseFeatureGates,
  RequestLog,
  ServiceRangeError,
  type TornTail,
} from "@kubewright/apiserver";
export { Cluster, type ConnectOptions, PortInUseError, startCluster } from "./cluster.js";
export {
  type ClusterControls,
  clusterControls,
  type FaultInput,
  type SnapshotInfo,
} from "./cluster-controls.js";
export type { ClusterOptions, Endpoint, ListenOptions } from "./cluster-options.js";
export { type ControllerSelection, UnknownControllerError } from "./controllers/select-controllers.js";
export type { Failure, FailureStatus } from "./faults/failure.js";
export { type FailOptions, type Fault, Faults, type OpenTraffic } from "./faults/faults.js";
export type { RequestAttributes, Verb } from "./faults/request-attributes.js";
export type { RequestFilter, RequestMatch } from "./faults/request-filter.js";
export {
  type Rotatable,
  type RotateOptions,
  rotatable,
  rotateDirectory,
} from "./identity/rotate-directory.js";
export { type KubeconfigOptions, kubeconfig } from "./kubeconfig.js";
export { KubeconfigFile, KubeconfigFileError, type KubeconfigFileOptions } from "./kubeconfig-file.js";
export type { MetricObject, MetricsSource, PodUsage } from "./metrics/metrics-source.js";
export { SimulatedMetrics } from "./metrics/simulated-metrics.js";
export {
  type ContainerExit,
  type ContainerLog,
  type ContainerRequest,
  type ContainerRuntime,
  type ContainerUsage,
  ImageError,
  type LogLine,
  type PodNode,
  type ProbeKind,
  type ProbeOutcome,
  type PulledImage,
  type RunningContainer,
  type RuntimeEnvironment,
} from "./nodes/container-runtime.js";
export {
  type ExternalNodes,
  type ExternalNodesOptions,
  managerLabel,
  startNodes,
} from "./nodes/external-nodes.js";
export type { NodeSpec, NodesOption } from "./nodes/node-spec.js";
export { rule } from "./nodes/rules/check-rule.js";
export { parseRules } from "./nodes/rules/parse-rules.js";
export type {
  Duration,
  EndingRule,
  ExecCall,
  ExecHandler,
  ExecRequest,
  LogRule,
  MetricsRule,
  PortCall,
  PortHandler,
  ProbeRule,
  Rule,
  RuleEffects,
  RuleHandle,
  RuleMatch,
} from "./nodes/rules/rule.js";
export { SimulatedRuntime, type SimulatedRuntimeOptions } from "./nodes/simulated-runtime.js";
export { ManifestError } from "./seed/manifests.js";
export { type Seed, seededRandom, uidsFrom } from "./seed/seeded-random.js";
export { SnapshotError } from "./snapshot/snapshot-file.js";

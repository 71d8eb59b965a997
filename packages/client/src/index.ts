export type { ApplyInput, DeepPartial } from "./apply-input.js";
export { isTransient } from "./call.js";
export type { ClientOptions } from "./caller.js";
export { Client } from "./client.js";
export { clientFromKubeConfig, type KubeConfigClientOptions } from "./client-from-kubeconfig.js";
export { ConfigError } from "./config-error.js";
export { ConnectionError, type ConnectionProblem } from "./connection-error.js";
export type { Pem } from "./credentials/client-certificate.js";
export type { Credential, Credentials } from "./credentials/credentials.js";
export { type ContextOptions, type ResolvedContext, resolveContext } from "./kubeconfig/context-transport.js";
export { type InClusterOptions, inClusterConfig, isInCluster } from "./kubeconfig/in-cluster.js";
export type {
  AuthProvider,
  Environment,
  ExecConfig,
  Impersonation,
  KubeCluster,
  KubeConfig,
  KubeContext,
  KubeUser,
} from "./kubeconfig/kubeconfig.js";
export {
  type LoadKubeConfigOptions,
  loadKubeConfig,
  mergeKubeConfigs,
} from "./kubeconfig/load-kubeconfig.js";
export type { OfficialKubeConfig } from "./kubeconfig/official-kubeconfig.js";
export { parseKubeConfig } from "./kubeconfig/parse-kubeconfig.js";
export type {
  ApplyOptions,
  CallOptions,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ItemsOptions,
  JsonPatchOperation,
  ListOptions,
  ObjectOptions,
  Patch,
  PatchOptions,
  Preconditions,
  PropagationPolicy,
  SelectionOptions,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from "./options.js";
export type { ClosableTransport, UpgradeResponse } from "./transport/closable-transport.js";
export { type Middleware, wrapTransport } from "./transport/middleware.js";
export {
  type HttpTransport,
  type UndiciTransportOptions,
  undiciTransport,
} from "./transport/undici-transport.js";
export { isMetadata, type MetadataDescriptor, metadataOnly, type PartialObjectMetadata } from "./view.js";
export type { WarningHandler } from "./warnings.js";

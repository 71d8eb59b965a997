export type { ApplyInput, DeepPartial, WholeObject } from "./apply-input.js";
export { isTransient } from "./call.js";
export type { ClientOptions } from "./caller.js";
export { Client } from "./client.js";
export { clientFromKubeConfig, type KubeConfigClientOptions } from "./client-from-kubeconfig.js";
export { ConfigError } from "./config-error.js";
export { ConnectionError, type ConnectionProblem } from "./connection-error.js";
export type { Pem } from "./credentials/client-certificate.js";
export type { Credential, Credentials } from "./credentials/credentials.js";
export { type ExecPluginOptions, execCredentials } from "./credentials/exec-plugin.js";
export { type OidcOptions, type OidcTokens, oidcCredentials } from "./credentials/oidc.js";
export { tokenFileCredentials } from "./credentials/token-file.js";
export { dashboardUserAgent } from "./dashboard-user-agent.js";
export type { DynamicResource } from "./discovery.js";
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
  RawOptions,
  SelectionOptions,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from "./options.js";
export type { ExecOutput, ExecSession } from "./pods/exec-session.js";
export type { LogOptions } from "./pods/log.js";
export type { AttachOptions, Pods } from "./pods/pods.js";
export { type CreateOrUpdateResult, createOrUpdate, type ObjectKey } from "./recipes/create-or-update.js";
export { type DeleteOwnedOutcome, deleteOwned } from "./recipes/delete-owned.js";
export { type RetryOnConflictOptions, retryOnConflict } from "./recipes/retry-on-conflict.js";
export { hasCondition, isAbsent, type WaitCondition, type WaitOptions, waitFor } from "./recipes/wait-for.js";
export type { Table, TableColumn, TableOptions, TableRow } from "./table.js";
export type { ClosableTransport, UpgradeResponse } from "./transport/closable-transport.js";
export { type Middleware, wrapTransport } from "./transport/middleware.js";
export {
  type HttpTransport,
  type UndiciTransportOptions,
  undiciTransport,
} from "./transport/undici-transport.js";
export { isMetadata, type MetadataDescriptor, metadataOnly, type PartialObjectMetadata } from "./view.js";
export type { WarningHandler } from "./warnings.js";
export type { WatchIterator } from "./watch.js";

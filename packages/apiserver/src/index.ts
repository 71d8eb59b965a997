export {
  admin,
  anonymous,
  type FeatureGate,
  featureGates,
  parseFeatureGates,
  type StoredObject,
  type UserInfo,
} from "@kubewright/kinds";
export type { AdmissionPlugin } from "./admission/admission.js";
export type {
  LevelVersion,
  PodSecurityExemptions,
  PodSecurityOptions,
  SecurityLevel,
  SecurityPolicy,
} from "./admission/pod-security/index.js";
export {
  checkPolicyTypes,
  type TypedKind,
  type TypedKinds,
} from "./admission/policies/check-policy-types.js";
export type { AggregationOptions, ExtensionApi, ExtensionResolver } from "./aggregation/extension-server.js";
export {
  type AuditBatchLimits,
  type AuditEvent,
  type AuditLevel,
  type AuditLog,
  type AuditLogOptions,
  type AuditOptions,
  type AuditPolicy,
  AuditPolicyError,
  type AuditRule,
  type AuditStage,
  type AuditTruncation,
  type AuditUser,
  AuditWebhook,
  type AuditWebhookMode,
  type AuditWebhookOptions,
  openAuditLog,
  type PostAuditEvents,
  parseAuditPolicy,
  RequestLog,
  type RequestLogEntry,
} from "./audit/index.js";
export type { Peer } from "./auth/authenticate.js";
export type { FormerKey } from "./auth/signing-keys.js";
export type { TokenLookup } from "./auth/token-authenticator.js";

export { type Listener, type ListenOptions, listen } from "./listener/http-listener.js";
export { type Address, httpsWebhookCaller, type ServiceResolver } from "./listener/https-webhook-caller.js";
export { upgradeInProcess } from "./listener/in-process-upgrade.js";
export {
  claimUsage,
  countName,
  coversClaim,
  coversPod,
  deviceUsage,
  isScoped,
  measuredKinds,
  plainlyCounted,
  podUsage,
  serviceUsage,
  sumUsage,
  type Usage,
} from "./quota/index.js";
export type { AdmissionRequest } from "./registry/admission-control.js";
export { ApiServer, createApiServer } from "./server.js";
export type { ApiServerOptions } from "./server-options.js";
export { ServiceRangeError } from "./service-network/address-allocator.js";
export {
  DataDirectoryInUseError,
  DataError,
  type DurableStorage,
  type DurableStorageOptions,
  JournalError,
  MemoryStorage,
  type MemoryStorageOptions,
  openDurableStorage,
  restoreContents,
  type Storage,
  type StorageContents,
  type StorageRow,
  syncDirectory,
  type TornTail,
} from "./storage/index.js";
export {
  askKubelet,
  dialKubelet,
  type KubeletDialerOptions,
  type NodeProxy,
  type PodConnection,
  type PortTarget,
} from "./subresources/index.js";
export { type ControlPlanePart, unreachablePart } from "./virtual-kinds/component-status.js";
export {
  type LocalWebhook,
  type WebhookCall,
  type WebhookCaller,
  type WebhookEndpoint,
  WebhookError,
  type WebhookService,
} from "./webhook-client/webhook-caller.js";

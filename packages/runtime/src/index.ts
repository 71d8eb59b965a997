export { type CompositionOptions, defineComposition } from "./controller/composition/define-composition.js";
export { type Health, healthOf } from "./controller/composition/health.js";
export {
  type Child,
  type ChildOptions,
  type Children,
  child,
  type LiveChildren,
} from "./controller/composition/plan.js";
export {
  type ControllerDefinition,
  type ControllerOptions,
  type ControllerSettings,
  defineController,
  type ReconcileResult,
} from "./controller/define-controller.js";
export { ForeignChildError } from "./controller/foreign-child-error.js";
export {
  type AnyResource,
  type Owned,
  type OwnedOptions,
  owned,
  readOnly,
  type Used,
  used,
  type WriteOptions,
  type WriteVerb,
} from "./controller/kinds.js";
export type { Outcome } from "./controller/outcome.js";
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  hasLabels,
  labelsChanged,
  not,
  type Predicate,
} from "./controller/predicates.js";
export type {
  ApplyOptions,
  ChildInput,
  CreateOptions,
  DeleteOptions,
  DisownOptions,
  EventInput,
  ListOptions,
  ReadOptions,
  ReconcileContext,
  ScaleTarget,
  StatusInput,
  StatusOf,
  StatusOptions,
  WholeChild,
} from "./controller/reconcile-context.js";
export type { ReconcileObserver, ReconcileRecord } from "./controller/reconcile-observer.js";
export type { ReadRecord, WriteRecord } from "./controller/run-notes.js";
export {
  type Channel,
  channel,
  interval,
  type Source,
  type SourceContext,
  stream,
} from "./controller/sources.js";
export {
  type OwnObjects,
  type Target,
  type Watched,
  type WatchSettings,
  watch,
} from "./controller/watches.js";
export type { HealthCheck, HealthCheckSet } from "./health/health-checks.js";
export type { OwnChecks } from "./health/manager-health.js";
export { CachedClient } from "./informer/cached-client.js";
export type { ChangeOrigin, ObjectChange } from "./informer/delta-queue.js";
export { type CacheSettings, Informer, type InformerOptions } from "./informer/informer.js";
export {
  cacheKind,
  type InformerLease,
  InformerPool,
  type InformerPoolOptions,
  type KindSettings,
} from "./informer/informer-pool.js";
export { keyOf, objectKey } from "./informer/object-key.js";
export type { OwnedFields } from "./informer/own-fields.js";
export { MalformedObjectError } from "./informer/prepare.js";
export type { ReflectorCounts } from "./informer/reflector.js";
export type { ReflectorProblem, ReflectorState, WaitReason } from "./informer/reflector-state.js";
export type { Query, Selection } from "./informer/selection.js";
export type { SetAsideObject } from "./informer/set-aside.js";
export type { StoreReader } from "./informer/store.js";
export type { IndexFunction } from "./informer/store-index.js";
export type { ChangeHandler } from "./informer/subscribers.js";
export { NotLeaderError } from "./leadership/fence.js";
export { type LeaderElectionOptions, LeaderElector, type Leadership } from "./leadership/leader-election.js";
export {
  createLogger,
  type JsonLoggerOptions,
  jsonLogger,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
} from "./logging/logger.js";
export { type CustomKind, customKindsOf } from "./manager/custom-kinds.js";
export type {
  CreateDashboard,
  DashboardContext,
  DashboardService,
  DashboardServing,
  ShownManager,
} from "./manager/dashboard-service.js";
export {
  clientNames,
  defineManager,
  type LeaderElectionSettings,
  type ManagerDefinition,
  type ManagerOptions,
  type ShardingSettings,
  shardGroup,
} from "./manager/define-manager.js";
export { startManager } from "./manager/manager.js";
export {
  leaderElectionPermissions,
  type PlacedRules,
  permissionsOf,
  placedPermissionsOf,
  securedMetricsPermissions,
  shardingPermissions,
  webhookPermissions,
} from "./manager/permissions.js";
export type { ManagerAddresses, RunningManager } from "./manager/running-manager.js";
export type { HealthOptions, MetricsOptions, StartOptions } from "./manager/start-options.js";
export { Counter, type CounterValue } from "./metrics/counter.js";
export { Gauge, type GaugeValue } from "./metrics/gauge.js";
export {
  defaultBuckets,
  exponentialBuckets,
  Histogram,
  type HistogramOptions,
  type HistogramValue,
} from "./metrics/histogram.js";
export {
  collected,
  type MetricFamily,
  type MetricOptions,
  type MetricType,
  type Sample,
} from "./metrics/metric-family.js";
export type { SecureServing } from "./metrics/metrics-server.js";
export { MetricsRegistry } from "./metrics/registry.js";
export { requestMetrics } from "./metrics/request-metrics.js";
export type { CertificateFiles } from "./metrics/serving-certificate.js";
export type { MetricsFormat } from "./metrics/text-format.js";
export type { CertificateObserver, WebhookObserver } from "./metrics/webhook-metrics.js";
export type { BackoffOptions } from "./queue/backoff.js";
export {
  type AddOptions,
  byNamespace,
  type KeyState,
  type Priority,
  type QueueTally,
  type WorkItem,
  WorkQueue,
  type WorkQueueOptions,
} from "./queue/work-queue.js";
export { groupLabel as shardGroupLabel } from "./sharding/member-lease.js";
export { Membership } from "./sharding/membership.js";
export { Sharder, type ShardingOptions } from "./sharding/sharder.js";
export type { ShardListener, Shards } from "./sharding/shards.js";
export type {
  HistoryQuery,
  ManagerTimeline,
  NextReconcile,
  ObjectHistory,
  QueueSnapshot,
} from "./timeline/manager-timeline.js";
export type { TimelineQuery, TimelineRecord } from "./timeline/timeline.js";
export type { TracingApi } from "./tracing/reconcile-tracing.js";
export {
  type ConversionDefinition,
  type Converted,
  defineConversion,
  type Spoke,
  type Spokes,
} from "./webhook/define-conversion.js";
export {
  defineWebhook,
  type Reviewed,
  type ValidationResult,
  type Validators,
  type WebhookDefinition,
  type WebhookOptions,
  type WebhookSettings,
} from "./webhook/define-webhook.js";
export type { Draft } from "./webhook/draft.js";
export { roundTripLosses } from "./webhook/round-trip.js";
export {
  type ClientConfigOf,
  type ConfigurationOptions,
  viaService,
  viaUrl,
  type WebhookConfigurations,
  webhookConfigurations,
} from "./webhook/webhook-configurations.js";
export type { DenyOptions, Operation, WebhookContext } from "./webhook/webhook-context.js";
export {
  WebhookHandler,
  type WebhookHandlerOptions,
  webhookHandler,
} from "./webhook/webhook-handler.js";
export { holderLease, webhookObjectNames } from "./webhook/webhook-names.js";
export type {
  CertificateSettings,
  ListenerSettings,
  LocalServing,
  ServiceName,
  ServiceServing,
  UrlServing,
  WebhookServing,
} from "./webhook/webhook-serving.js";
export type { AnyWebhook } from "./webhook/webhooks-of.js";

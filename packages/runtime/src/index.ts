export {
  type AnyResource,
  type ControllerDefinition,
  type ControllerOptions,
  defineController,
  type ReconcileResult,
} from "./controller/define-controller.js";
export type { ReconcileContext, StatusOf } from "./controller/reconcile-context.js";
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
export type { ReflectorProblem, ReflectorState, WaitReason } from "./informer/reflector-state.js";
export type { Query, Selection } from "./informer/selection.js";
export type { SetAsideObject } from "./informer/set-aside.js";
export type { StoreReader } from "./informer/store.js";
export type { IndexFunction } from "./informer/store-index.js";
export type { ChangeHandler } from "./informer/subscribers.js";
export { defineManager, type ManagerDefinition, type ManagerOptions } from "./manager/define-manager.js";
export { type RunningManager, type StartOptions, startManager } from "./manager/manager.js";
export {
  type AddOptions,
  type Priority,
  type WorkItem,
  WorkQueue,
  type WorkQueueOptions,
} from "./queue/work-queue.js";

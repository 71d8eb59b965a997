export {
  type AnyResource,
  type ControllerDefinition,
  type ControllerOptions,
  defineController,
  type ReconcileResult,
} from "./controller/define-controller.js";
export type { ReconcileContext, StatusOf } from "./controller/reconcile-context.js";
export { Informer, type InformerOptions, type ObjectChange } from "./informer/informer.js";
export { type IndexFunction, objectKey, Store } from "./informer/store.js";
export { defineManager, type ManagerDefinition, type ManagerOptions } from "./manager/define-manager.js";
export { type RunningManager, type StartOptions, startManager } from "./manager/manager.js";
export {
  type AddOptions,
  type Priority,
  type WorkItem,
  WorkQueue,
  type WorkQueueOptions,
} from "./queue/work-queue.js";

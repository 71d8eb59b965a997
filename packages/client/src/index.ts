export type { ApplyInput, DeepPartial } from "./apply-input.js";
export { Client, type ClientOptions } from "./client.js";
export { ConnectionError, type ConnectionProblem } from "./connection-error.js";
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
export type { WarningHandler } from "./warnings.js";

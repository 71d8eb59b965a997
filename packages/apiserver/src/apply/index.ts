export { applyConfiguration } from "./apply-configuration.js";
export type {
  AnyObject,
  ApplyOptions,
  ApplyResult,
  ConvertVersion,
  TrackUpdateOptions,
  VersionedObject,
} from "./apply-types.js";
export { atomicFields } from "./atomic-fields.js";
export { type Comparison, compare } from "./compare.js";
export { CreationOwners } from "./creation-owners.js";
export { FieldSet } from "./field-set.js";
export { type FieldsV1, FieldsV1Error, parseFieldsV1, printFieldsV1 } from "./fields-v1.js";
export { ListItemError } from "./list-item.js";
export { ignoreTimestamps, withManagedFields } from "./managed-fields-list.js";
export { managedFieldsProblem } from "./managers.js";
export { merge } from "./merge.js";
export { describePath, type FieldPath, type PathElement, PathElementError } from "./path-element.js";
export { extractItems, removeItems } from "./remove-items.js";
export { parentEntries, type ReplicasPaths, scaleEntries } from "./scale-managers.js";
export { toFieldSet } from "./to-field-set.js";
export { trackUpdate } from "./track-update.js";
export { deducedFacts } from "./type-shape.js";
export { typeProblems } from "./validate-typed.js";

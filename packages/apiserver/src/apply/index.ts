export { applyConfiguration } from "./apply-configuration.js";
export type {
  AnyObject,
  ApplyOptions,
  ApplyResult,
  ConvertVersion,
  TrackUpdateOptions,
  VersionedObject,
} from "./apply-types.js";
export { ignoreTimestamps, withManagedFields } from "./managed-fields-list.js";
export { trackUpdate } from "./track-update.js";

import type { ManagedFieldsEntry } from "@kubewright/api";
import type { TrackUpdateOptions } from "./apply-types.js";

/**
 * The managedFields of an object after a create, update or patch. The very list of `live` comes back when nothing
 * changed hands; undefined when the object is not tracked.
 */
export function trackUpdate(options: TrackUpdateOptions): readonly ManagedFieldsEntry[] | undefined {
  throw new Error(`not yet: ${options.manager}`);
}

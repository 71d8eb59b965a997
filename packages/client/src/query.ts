// Options become the query parameters of the Kubernetes API.
import type { ListOptions, SelectionOptions, UpdateOptions, WatchOptions } from "./options.js";

type Value = string | number | boolean | undefined;

/** Query parameters of what is defined. */
export function queryOf(values: Readonly<Record<string, Value>>): URLSearchParams | undefined {
  let query: URLSearchParams | undefined;
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") continue;
    query ??= new URLSearchParams();
    query.set(name, String(value));
  }
  return query;
}

/** Parameters that say which objects. */
export function selectionValues(options: SelectionOptions): Record<string, Value> {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

/** Parameters of a list. */
export function listQuery(options: ListOptions): URLSearchParams | undefined {
  return queryOf({ ...selectionValues(options), limit: options.limit, continue: options.continue });
}

/** Parameters of a watch. */
export function watchQuery(options: WatchOptions): URLSearchParams | undefined {
  return queryOf({
    watch: true,
    ...selectionValues(options),
    allowWatchBookmarks: options.allowWatchBookmarks,
    sendInitialEvents: options.sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  });
}

/** Parameters of a write. */
export function writeQuery(
  options: UpdateOptions,
  fieldManager: string | undefined,
  force?: boolean,
): URLSearchParams | undefined {
  return queryOf({
    fieldManager: options.fieldManager ?? fieldManager,
    dryRun: options.dryRun ? "All" : undefined,
    fieldValidation: options.fieldValidation,
    force: force || undefined,
  });
}

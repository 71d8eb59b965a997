// Options become the query parameters of the Kubernetes API.
import type { LabelSelectorRequirement } from "@kubewright/api";
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
    labelSelector: selectorText(options.labelSelector),
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

/** A selector as objects hold it, in the form a query holds it. */
function selectorText(selector: SelectionOptions["labelSelector"]): string | undefined {
  if (selector === undefined || typeof selector === "string") return selector;
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...labels, ...(selector.matchExpressions ?? []).map(expressionText)].join(",");
}

function expressionText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
}

/** Parameters of a list. */
export function listQuery(
  options: ListOptions,
  others: Readonly<Record<string, Value>> = {},
): URLSearchParams | undefined {
  const { limit, continue: next } = options;
  return queryOf({ ...selectionValues(options), limit, continue: next, ...others });
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

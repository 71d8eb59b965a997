// `limit`, `continue`, `resourceVersion`, `resourceVersionMatch` of a list, checked as kube-apiserver checks them.

import { ApiError, type FieldError, fieldError } from "@kubewright/api";
import { badRequest, invalid } from "@kubewright/kinds";

import { notARevision, parseRevision } from "../registry/revision.js";
import { integerParameter } from "../request/query-parameters.js";
import { decodeContinue } from "./continue-token.js";

/** The parsed options of a list request. */
export interface ListOptions {
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly sendInitialEvents: boolean;
}

/** Reads the parameters; throws 400 for what cannot be read. */
export function readListOptions(query: URLSearchParams): ListOptions {
  integerParameter(query, "timeoutSeconds");
  return {
    limit: integerParameter(query, "limit") ?? 0,
    continue: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    sendInitialEvents: query.has("sendInitialEvents"),
  };
}

/** Throws 422 for options that contradict each other. */
export function checkListOptions(options: ListOptions): void {
  const errors = optionErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
}

function optionErrors(options: ListOptions): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match } = options;
  const errors: FieldError[] = [];
  const forbid = (field: string, text: string): void => void errors.push(fieldError.forbidden(field, text));
  if (match !== "") {
    if (resourceVersion === "")
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (options.continue !== "")
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(fieldError.notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0")
      forbid("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (options.sendInitialEvents) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  return errors;
}

/** The keys and the revision that a list returns. */
export interface ListRange {
  /** Zero for no limit. */
  readonly limit: number;
  /** The state to show; the present if absent. */
  readonly revision: number | undefined;
  /** Continue after this key. */
  readonly after: string | undefined;
}

/** The range of the options for keys that start with `prefix`; `current` is the newest revision. Throws 400 or 504. */
export function rangeOf(options: ListOptions, prefix: string, current: number): ListRange {
  const { resourceVersion: version } = options;
  // Where any version will do, kube-apiserver answers out of its cache, which does not page.
  const limit = version === "0" ? 0 : Math.max(0, options.limit);
  if (options.continue === "") return { limit, after: undefined, revision: stateOf(options, current) };
  const { revision, after } = decodeContinue(options.continue, prefix);
  if (version !== "" && version !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  if (revision > current) throw tooLargeRevision(String(revision), current);
  return { limit, after, revision: revision < 0 ? undefined : revision };
}

/** Exact states only where Kubernetes promises them; otherwise now, which is never older. */
function stateOf({ resourceVersion, resourceVersionMatch: match, limit }: ListOptions, current: number) {
  if (resourceVersion === "" || resourceVersion === "0") return undefined;
  const revision = parseRevision(resourceVersion);
  if (revision === undefined) throw badRequest(`invalid resource version: ${notARevision(resourceVersion)}`);
  if (revision > current) throw tooLargeRevision(resourceVersion, current);
  const exact = match === "Exact" || (match === "" && limit > 0);
  return exact && revision > 0 ? revision : undefined;
}

/** 504: no such version yet. */
export const tooLargeRevision = (version: string | number, current: number): ApiError =>
  new ApiError(`Timeout: Too large resource version: ${version}, current: ${current}`, {
    code: 504,
    reason: "Timeout",
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });

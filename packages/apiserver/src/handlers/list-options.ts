// `limit`, `continue`, `resourceVersion`, `resourceVersionMatch` of a list, checked as the real server checks them.
import { ApiError, type FieldError } from "@kubewright/api";
import { notARevision, parseRevision } from "../registry/revision.js";
import { integerParameter } from "../registry/write-options.js";
import { badRequest, invalid } from "../request/failures.js";
import { decodeContinue } from "./continue-token.js";

export interface ListOptions {
  /** Zero for no limit. */
  readonly limit: number;
  /** The state to show; the present if absent. */
  readonly revision: number | undefined;
  /** Continue after this key. */
  readonly after: string | undefined;
}

/** Reads the parameters; `current` is the newest revision. */
export function listOptions(query: URLSearchParams, current: number): ListOptions {
  const limit = Math.max(0, integerParameter(query, "limit") ?? 0);
  const token = query.get("continue") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const errors = optionErrors(query, token, version, match);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  if (token !== "") {
    if (version !== "" && version !== "0")
      throw badRequest("specifying resource version is not allowed when using continue");
    const { revision, after } = decodeContinue(token);
    // From "any version will do" the real server answers out of its cache, which does not page.
    return { limit: version === "0" ? 0 : limit, after, revision: revision === -1 ? undefined : revision };
  }
  return { limit, after: undefined, revision: snapshot(version, match, limit, current) };
}

function optionErrors(query: URLSearchParams, token: string, version: string, match: string): FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (field: string, message: string): void => {
    errors.push({ field, reason: "FieldValueForbidden", message: `Forbidden: ${message}` });
  };
  if (match !== "") {
    if (version === "")
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (token !== "")
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    if (match !== "Exact" && match !== "NotOlderThan") {
      const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`;
      errors.push({ field: "resourceVersionMatch", reason: "FieldValueNotSupported", message });
    }
    if (match === "Exact" && version === "0") {
      forbid("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (query.get("sendInitialEvents") !== null)
    forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  return errors;
}

/** The revision to list at: exact ones only where Kubernetes promises them; otherwise now, which is never older. */
function snapshot(version: string, match: string, limit: number, current: number): number | undefined {
  if (version === "" || version === "0") return undefined;
  const revision = parseRevision(version);
  if (revision === undefined) throw badRequest(`invalid resource version: ${notARevision(version)}`);
  if (revision > current) throw tooLargeRevision(revision, current);
  const exact = match === "Exact" || (match === "" && limit > 0);
  if (!exact) return undefined;
  return revision;
}

/** 504: no such version yet. */
export const tooLargeRevision = (revision: number, current: number): ApiError =>
  new ApiError(`Timeout: Too large resource version: ${revision}, current: ${current}`, {
    code: 504,
    reason: "Timeout",
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });

// Failures as they travel: the server turns an ApiError into a Status object, the client turns it back.
import { ApiError, type StatusCause, type StatusDetails } from "./errors.js";
import type { Status } from "./generated/meta-v1.js";

/** The Status object a client is answered with. */
export function toStatus(error: ApiError): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: error.message,
    ...(error.reason === "Unknown" ? {} : { reason: error.reason }),
    ...(error.details === undefined ? {} : { details: printDetails(error.details) }),
    code: error.code,
  };
}

/** The failure a Status object reports. */
export function fromStatus(status: Status): ApiError {
  const code = status.code ?? 500;
  const message =
    status.message || `the server responded with the status code ${code} but did not return more information`;
  return new ApiError(message, { code, reason: status.reason || "Unknown", details: status.details });
}

/** True when a value is a Status object that reports a failure. */
export function isFailureStatus(value: unknown): value is Status {
  if (typeof value !== "object" || value === null) return false;
  const { kind, apiVersion, status }: Readonly<Record<string, unknown>> = { ...value };
  return kind === "Status" && apiVersion === "v1" && status === "Failure";
}

/** In the server's order, and without what is empty. */
function printDetails({ name, group, kind, uid, causes, retryAfterSeconds }: StatusDetails): StatusDetails {
  return {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    ...(uid ? { uid } : {}),
    ...(causes?.length ? { causes: causes.map(printCause) } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
}

function printCause({ reason, message, field }: StatusCause): StatusCause {
  return { ...(reason ? { reason } : {}), ...(message ? { message } : {}), ...(field ? { field } : {}) };
}

// A failed call becomes an ApiError that says which call on which object failed, whatever answered: the API server with
// a Status, or a proxy on the way with a page of its own.
import { ApiError, isObject, type StatusDetails, type StatusReason } from "@kubewright/api";

const reasons: ReadonlyMap<number, StatusReason> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

/** The error for a body of kind Status, or for anything else that came with a failure code. */
export function statusError(call: string, code: number, body: unknown): ApiError {
  if (!isObject(body) || body["kind"] !== "Status") return foreignError(call, code, body);
  const status = typeof body["code"] === "number" && body["code"] !== 0 ? body["code"] : code;
  const reason = textOf(body["reason"]) ?? reasons.get(status) ?? "Unknown";
  const message = textOf(body["message"]) ?? reason;
  return new ApiError(`${call}: ${message}`, {
    code: status,
    reason,
    details: detailsOf(body["details"]),
    continueToken: isObject(body["metadata"]) ? textOf(body["metadata"]["continue"]) : undefined,
  });
}

/** True for a Status object that reports success, as deletes answer. */
export function isStatus(body: unknown): boolean {
  return isObject(body) && body["kind"] === "Status" && body["apiVersion"] === "v1";
}

/** The API server's plain text response for paths that it does not serve. */
const unknownPath = "404 page not found";
const notServed =
  "the cluster does not serve this kind or version; is its CustomResourceDefinition installed?";

/** Proxies and load balancers answer with text or HTML; a short piece of it helps to see who did. */
function foreignError(call: string, code: number, body: unknown): ApiError {
  const text = typeof body === "string" ? excerpt(body) : "";
  const reason = reasons.get(code) ?? "Unknown";
  if (text === unknownPath) return new ApiError(`${call}: ${notServed}`, { code, reason });
  const detail = text === "" ? "" : `: ${text}`;
  return new ApiError(`${call}: HTTP ${code}, not a Kubernetes answer${detail}`, { code, reason });
}

function excerpt(text: string): string {
  const words = text
    .slice(0, 4096)
    .replace(/<(script|style)[^>]*>[^<]*/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return words.length > 160 ? `${words.slice(0, 160)}…` : words;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function detailsOf(value: unknown): StatusDetails | undefined {
  return isObject(value) ? value : undefined;
}

// Why a child could not be made or changed, as a condition a person can act on.
import { ApiError, type ConditionUpdate, isForbidden, isInvalid } from "@kubewright/api";
import { ForeignChildError } from "../controller/foreign-child-error.js";

/** Degraded, with what went wrong. For `onError` of a controller. */
export function childFailure(error: unknown): ConditionUpdate {
  const message = error instanceof Error ? error.message : String(error);
  return { type: "Degraded", status: "True", reason: reasonFor(error, message), message };
}

function reasonFor(error: unknown, message: string): string {
  if (error instanceof ForeignChildError) return "NameTaken";
  if (!(error instanceof ApiError)) return "ReconcileFailed";
  if (message.includes("provided port is already allocated")) return "NodePortTaken";
  if (isForbidden(error)) {
    if (message.includes("exceeded quota")) return "QuotaExceeded";
    return message.includes("being terminated") ? "NamespaceTerminating" : "Forbidden";
  }
  return isInvalid(error) ? "Refused" : "ServerError";
}

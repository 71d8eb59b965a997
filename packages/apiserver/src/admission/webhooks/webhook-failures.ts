// The ways a webhook ends a request, in Kubernetes' words.

import { ApiError, goQuote, isObject, type StatusCause, type StatusDetails } from "@kubewright/api";
import { badRequest } from "@kubewright/kinds";

/** A webhook could not be asked, or its answer makes no sense; the failure policy decides what that means. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";

  constructor(webhook: string, reason: string, cause?: unknown) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`, { cause });
  }
}

export const noDryRun = (webhook: string): ApiError =>
  badRequest(`admission webhook ${goQuote(webhook)} does not support dry run`);

const deniedWithoutCode = 400;

/** The refusal of a webhook: the Status it sent, with its name before the message. */
export function deniedBy(webhook: string, status: Readonly<Record<string, unknown>> = {}): ApiError {
  const { message, reason, code, details } = status;
  const why = textOf(message) || textOf(reason);
  const denied = `admission webhook ${goQuote(webhook)} denied the request`;
  return new ApiError(why === "" ? `${denied} without explanation` : `${denied}: ${why}`, {
    code: failureCode(code),
    reason: textOf(reason) || "Unknown",
    details: detailsOf(details),
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A refusal is a failure, whatever the webhook says; and HTTP has no codes of four digits. */
function failureCode(code: unknown): number {
  if (typeof code !== "number" || !Number.isInteger(code) || code < 400) return deniedWithoutCode;
  return code > 599 ? 500 : code;
}

function detailsOf(details: unknown): StatusDetails | undefined {
  if (!isObject(details)) return undefined;
  const { name, group, kind, uid, causes, retryAfterSeconds } = details;
  return {
    ...(textOf(name) ? { name: textOf(name) } : {}),
    ...(textOf(group) ? { group: textOf(group) } : {}),
    ...(textOf(kind) ? { kind: textOf(kind) } : {}),
    ...(textOf(uid) ? { uid: textOf(uid) } : {}),
    ...(Array.isArray(causes) ? { causes: causes.map(causeOf) } : {}),
    ...(typeof retryAfterSeconds === "number" && retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  };
}

function causeOf(cause: unknown): StatusCause {
  if (!isObject(cause)) return {};
  const { reason, message, field } = cause;
  return {
    ...(textOf(reason) ? { reason: textOf(reason) } : {}),
    ...(textOf(message) ? { message: textOf(message) } : {}),
    ...(textOf(field) ? { field: textOf(field) } : {}),
  };
}

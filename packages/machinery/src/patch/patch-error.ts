// Refusals of patches, as the server words them.
import { ApiError } from "@kubewright/api";

/** 400: not a patch at all. */
export const badPatch = (message: string): ApiError =>
  new ApiError(message, { code: 400, reason: "BadRequest" });

/** 422: a patch that does not apply. The server does not say why; the reason is kept as the cause. */
export const patchDoesNotApply = (why: string): ApiError =>
  new ApiError("the server rejected our request due to an error in our request", {
    code: 422,
    reason: "Invalid",
    details: {},
    cause: new Error(why),
  });

/** 413: more than the server is willing to do. */
export const patchTooLarge = (message: string): ApiError =>
  new ApiError(message, { code: 413, reason: "RequestEntityTooLarge" });

/** 500 without a reason: what the server lets through as a plain error. */
export const patchFailed = (message: string): ApiError =>
  new ApiError(message, { code: 500, reason: "Unknown" });

/** A JSON type, as errors about decoding name it. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

// The few error classes of the project. Messages name kind/namespace/name and never hold a secret or a payload.

/** Reasons the API server gives in `Status.reason`. */
export type StatusReason =
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "StoreReadError"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable"
  | "Unknown"
  | (string & {});

export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export interface ApiErrorOptions {
  readonly code: number;
  readonly reason: StatusReason;
  readonly details?: StatusDetails | undefined;
  readonly cause?: unknown;
}

/** The API server answered with a failure, or is answering with one. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details;
  }
}

/** Retrying cannot help until the object changes. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}

/** Something took longer than it was given. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** One thing wrong with an object, in the terms Kubernetes uses. */
export interface FieldError {
  /** As Kubernetes writes it: `spec.ports[0].port`. */
  readonly field: string;
  readonly reason: FieldErrorReason;
  /** The text after the field: `Required value`, `Invalid value: 0: must be between 1 and 65535, inclusive`. */
  readonly message: string;
}

/** The causes of a `Status` carry these. */
export type FieldErrorReason =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError"
  | "FieldValueTypeInvalid";

/** An object does not satisfy its schema or rules. */
export class ValidationError extends Error {
  override readonly name = "ValidationError";
  readonly errors: readonly FieldError[];

  constructor(what: string, errors: readonly FieldError[], options?: ErrorOptions) {
    super(`${what}: ${errors.map((error) => `${error.field}: ${error.message}`).join("; ")}`, options);
    this.errors = errors;
  }
}

/** True for an ApiError with that reason (as client-go decides: by reason, and by code where there is none). */
function hasReason(error: unknown, reason: StatusReason, code: number): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.reason === reason || (error.reason === "Unknown" && error.code === code);
}

export const isNotFound = (error: unknown): error is ApiError => hasReason(error, "NotFound", 404);
export const isAlreadyExists = (error: unknown): error is ApiError => hasReason(error, "AlreadyExists", -1);
export const isConflict = (error: unknown): error is ApiError => hasReason(error, "Conflict", 409);
export const isInvalid = (error: unknown): error is ApiError => hasReason(error, "Invalid", 422);
export const isForbidden = (error: unknown): error is ApiError => hasReason(error, "Forbidden", 403);
export const isUnauthorized = (error: unknown): error is ApiError => hasReason(error, "Unauthorized", 401);
export const isTooManyRequests = (error: unknown): error is ApiError =>
  hasReason(error, "TooManyRequests", 429);
/** The version asked for is no longer kept: list again. */
export const isGone = (error: unknown): error is ApiError =>
  hasReason(error, "Expired", 410) || hasReason(error, "Gone", 410);

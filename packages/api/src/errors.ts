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

/** One of several things behind a failure. */
export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

/** The object a failure is about: `kind` holds the resource, or the kind for invalid objects. */
export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The fields of an ApiError besides its message. */
export interface ApiErrorOptions {
  readonly code: number;
  readonly reason: StatusReason;
  readonly details?: StatusDetails | undefined;
  readonly continueToken?: string | undefined;
  readonly cause?: unknown;
}

/** The API server answered with a failure, or is answering with one. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;
  /** Comes with an expired page token: goes on where that one stopped, in the state of another moment. */
  readonly continueToken: string | undefined;

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details;
    this.continueToken = options.continueToken;
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
    super(`${what}: ${errors.map(describe).join("; ")}`, options);
    this.errors = errors;
  }
}

/** An error that concerns an object as a whole has no field path. */
const describe = ({ field, message }: FieldError): string =>
  field === "" ? message : `${field}: ${message}`;

/** The reasons that speak for themselves; where none of them is given, the code decides. */
const knownReasons: ReadonlySet<string> = new Set<StatusReason>([
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Invalid",
  "ServerTimeout",
  "StoreReadError",
  "Timeout",
  "TooManyRequests",
  "BadRequest",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "Expired",
  "ServiceUnavailable",
]);

/** True for an ApiError with that reason (as client-go decides: by reason, and by code where there is none). */
function hasReason(error: unknown, reason: StatusReason, code?: number): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.reason === reason || (error.code === code && !knownReasons.has(error.reason));
}

/** The object, or the endpoint, does not exist. */
export const isNotFound = (error: unknown): error is ApiError => hasReason(error, "NotFound", 404);
/** An object of that name exists. */
export const isAlreadyExists = (error: unknown): error is ApiError => hasReason(error, "AlreadyExists");
/** The object changed since it was read, or a field is owned by another manager. */
export const isConflict = (error: unknown): error is ApiError => hasReason(error, "Conflict", 409);
/** The object breaks the rules of its kind. */
export const isInvalid = (error: unknown): error is ApiError => hasReason(error, "Invalid", 422);
/** The request makes no sense to the server. */
export const isBadRequest = (error: unknown): error is ApiError => hasReason(error, "BadRequest", 400);
/** The user may not do this. */
export const isForbidden = (error: unknown): error is ApiError => hasReason(error, "Forbidden", 403);
/** Nothing can be created in a namespace that is being deleted. */
export const isNamespaceTerminating = (error: unknown): error is ApiError =>
  isForbidden(error) && (error.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
/** The server does not know who is asking. */
export const isUnauthorized = (error: unknown): error is ApiError => hasReason(error, "Unauthorized", 401);
/** The server asks to come back later. */
export const isTooManyRequests = (error: unknown): error is ApiError =>
  hasReason(error, "TooManyRequests") || (error instanceof ApiError && error.code === 429);
/** The version asked for is no longer kept: list again. */
export const isGone = (error: unknown): error is ApiError =>
  hasReason(error, "Expired") || hasReason(error, "Gone", 410);
/** The server gave up waiting; what was asked for may still happen. */
export const isTimeout = (error: unknown): error is ApiError => hasReason(error, "Timeout", 504);
/** The server could not do it in time, and did nothing: ask again. */
export const isServerTimeout = (error: unknown): error is ApiError => hasReason(error, "ServerTimeout");
/** The server, or what stands behind it, is not there at the moment. */
export const isServiceUnavailable = (error: unknown): error is ApiError =>
  hasReason(error, "ServiceUnavailable", 503);
/** Something broke inside the server. */
export const isInternalError = (error: unknown): error is ApiError => hasReason(error, "InternalError", 500);
/** The resource has no such verb. */
export const isMethodNotSupported = (error: unknown): error is ApiError =>
  hasReason(error, "MethodNotAllowed", 405);
/** The server has no representation the client accepts. */
export const isNotAcceptable = (error: unknown): error is ApiError => hasReason(error, "NotAcceptable", 406);
/** The server does not take this representation. */
export const isUnsupportedMediaType = (error: unknown): error is ApiError =>
  hasReason(error, "UnsupportedMediaType", 415);
/** The object is too large to be stored. */
export const isRequestEntityTooLarge = (error: unknown): error is ApiError =>
  hasReason(error, "RequestEntityTooLarge") || (error instanceof ApiError && error.code === 413);

/** The delay the server asks for before the next attempt (Retry-After); undefined when it names none. */
export function retryAfterSeconds(error: unknown): number | undefined {
  if (!(error instanceof ApiError) || error.details === undefined) return undefined;
  const seconds = error.details.retryAfterSeconds ?? 0;
  return seconds > 0 || error.reason === "ServerTimeout" ? seconds : undefined;
}

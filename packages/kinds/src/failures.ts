// The failures a Kubernetes API server answers with, worded as it words them.
import { ApiError, type FieldError, type StatusCause, type StatusDetails } from "@kubewright/api";
import { maxErrors } from "./check-each.js";

/** The object that a failure is about. */
export interface Subject {
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  readonly name: string;
}

const qualified = ({ group, resource }: Pick<Subject, "group" | "resource">): string =>
  group === "" ? resource : `${resource}.${group}`;

const detailsOf = (subject: Subject) => ({
  name: subject.name,
  ...(subject.group === "" ? {} : { group: subject.group }),
  kind: subject.resource,
});

/** A 404: there is no such object. */
export const notFound = (subject: Subject): ApiError =>
  new ApiError(`${qualified(subject)} "${subject.name}" not found`, {
    code: 404,
    reason: "NotFound",
    details: detailsOf(subject),
  });

/** No server behind this one knows the path either: answered in plain text, as Go's mux does. */
export class PageNotFound extends Error {
  override readonly name = "PageNotFound";
}

/** The path itself leads nowhere. */
export const noSuchPath = (): ApiError =>
  new ApiError("the server could not find the requested resource", {
    code: 404,
    reason: "NotFound",
    details: {},
  });

const exists = (subject: Subject, isTerminating: boolean): string =>
  `${isTerminating ? "object is being deleted: " : ""}${qualified(subject)} "${subject.name}" already exists`;

/** The name is taken; `isTerminating` when the object of that name is being deleted. */
export const alreadyExists = (subject: Subject, isTerminating = false): ApiError =>
  new ApiError(exists(subject, isTerminating), {
    code: 409,
    reason: "AlreadyExists",
    details: detailsOf(subject),
  });

/** The server was to choose a name, and found none that is free. */
export const noUniqueName = (subject: Subject, isTerminating = false): ApiError =>
  new ApiError(
    `${exists(subject, isTerminating)}, the server was not able to generate a unique name for the object`,
    { code: 409, reason: "AlreadyExists", details: { ...detailsOf(subject), retryAfterSeconds: 1 } },
  );

/** A 409: the request conflicts with the state of the object. */
export const conflict = (subject: Subject, why: string): ApiError =>
  new ApiError(`Operation cannot be fulfilled on ${qualified(subject)} "${subject.name}": ${why}`, {
    code: 409,
    reason: "Conflict",
    details: detailsOf(subject),
  });

/** The 409 for an object that was changed since it was read. */
export const objectModified = (subject: Subject): ApiError =>
  conflict(
    subject,
    "the object has been modified; please apply your changes to the latest version and try again",
  );

/** A 400: the request cannot be understood. */
export const badRequest = (message: string): ApiError =>
  new ApiError(message, { code: 400, reason: "BadRequest" });

/** A 403: the user may not do this. */
export const forbidden = (subject: Subject, why: string, causes?: readonly StatusCause[]): ApiError =>
  new ApiError(
    subject.name === ""
      ? `${qualified(subject)} is forbidden: ${why}`
      : `${qualified(subject)} "${subject.name}" is forbidden: ${why}`,
    { code: 403, reason: "Forbidden", details: { ...detailsOf(subject), ...(causes ? { causes } : {}) } },
  );

/** A 405: the resource has no such verb. */
export const methodNotAllowed = (): ApiError =>
  new ApiError("the server does not allow this method on the requested resource", {
    code: 405,
    reason: "MethodNotAllowed",
    details: {},
  });

/** A 401: the user could not be authenticated. */
export const unauthorized = (): ApiError =>
  new ApiError("Unauthorized", { code: 401, reason: "Unauthorized" });

/** A 415: the body is in an encoding that is not accepted. */
export const unsupportedMediaType = (message: string, details?: StatusDetails): ApiError =>
  new ApiError(message, { code: 415, reason: "UnsupportedMediaType", details });

/** A 500: the server failed. */
export const internalError = (message: string, cause?: unknown): ApiError =>
  new ApiError(`Internal error occurred: ${message}`, {
    code: 500,
    reason: "InternalError",
    details: { causes: [{ message }] },
    cause,
  });

/** An error that kube-apiserver returns without a Status of its own: 500 with the reason Unknown. */
export const unknownError = (message: string): ApiError =>
  new ApiError(message, { code: 500, reason: "Unknown" });

/** The client closed the request while the server waited for a webhook. Nobody reads this answer. */
export const requestCanceled = (): ApiError =>
  new ApiError("Timeout: request did not complete within requested timeout - context canceled", {
    code: 504,
    reason: "Timeout",
  });

/** The state a list was being read from is forgotten; the token leads on through what is there now. */
export const continueExpired = (continueToken: string): ApiError =>
  new ApiError(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    { code: 410, reason: "Expired", continueToken },
  );

/** A 410: the resource version or continue token is too old. */
export const expired = (message: string): ApiError => new ApiError(message, { code: 410, reason: "Expired" });

/** Characters of all error messages together: some errors print a whole list each. */
const maxMessageLength = 1024 * 1024;

/** An object that fails validation; `kind` and `group` name what the client sent. */
export function invalid(
  kind: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const reported: FieldError[] = [];
  const distinct = new Set<string>();
  let length = 0;
  for (const error of errors) {
    if (reported.length >= maxErrors || length > maxMessageLength) break;
    const text = `${error.field}: ${error.message}`;
    reported.push(error);
    distinct.add(text);
    length += text.length;
  }
  const texts = [...distinct];
  const summary = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const causes = reported.map((error) => ({
    reason: error.reason,
    message: error.message,
    field: error.field,
  }));
  const target = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return new ApiError(`${target} "${name}" is invalid: ${summary}`, {
    code: 422,
    reason: "Invalid",
    details: {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      ...(kind.kind === "" ? {} : { kind: kind.kind }),
      causes,
    },
  });
}

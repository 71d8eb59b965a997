// The errors for bodies that cannot be decoded, in the words of kube-apiserver.
import { ApiError, goQuote } from "@kubewright/api";

/** The body is not even something with an `apiVersion` and a `kind`. */
export function unrecognizedObject(kind: string, problem: string, bytes: Uint8Array): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${problem} (${summary(bytes)})`,
  );
}

/** The body says what it is, and cannot be taken as what the endpoint wants. */
export function cannotBeHandled(
  actual: { readonly kind: string; readonly version: string },
  expectedKind: string,
  problem: string,
): ApiError {
  return badRequest(
    `${actual.kind} in version ${goQuote(actual.version)} cannot be handled as a ${expectedKind}: ${problem}`,
  );
}

/** A plain 400. */
export function badRequest(message: string): ApiError {
  return new ApiError(message, { code: 400, reason: "BadRequest" });
}

/** The media type of the body is none of those the endpoint reads. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    { code: 415, reason: "UnsupportedMediaType" },
  );
}

/** The body is longer than the server reads. */
export function bodyTooLarge(limit: number): ApiError {
  return new ApiError(`Request entity too large: limit is ${limit}`, {
    code: 413,
    reason: "RequestEntityTooLarge",
  });
}

const summaryLength = 30;

/** The first bytes: as text where they look like JSON, in hexadecimal otherwise. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, summaryLength));
  const text = start.toString(bytes[0] === 0x7b ? "utf8" : "hex");
  return bytes.length > summaryLength ? `${text} ...` : text;
}

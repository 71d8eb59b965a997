// Answers: objects in the representation the client asked for, and failures as Status.

import {
  ApiError,
  type JsonObject,
  type ResponseBody,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import { PageNotFound } from "@kubewright/kinds";
import { encodeJson, encodeYaml, type Negotiated, negotiate } from "@kubewright/machinery";

import { yieldToEventLoop } from "../time-slice.js";
import { hasLongList, listSlices } from "./list-slices.js";
import { warningHeaders } from "./warning-headers.js";

export { warningHeaders };

/** A body that is already what it should be, encoded as negotiated. */
export function objectResponse(
  context: { readonly warnings: readonly string[] },
  status: number,
  value: unknown,
  negotiated: Negotiated,
): TransportResponse {
  const { contentType } = negotiated;
  const headers =
    context.warnings.length === 0
      ? { "content-type": contentType }
      : { ...warningHeaders(context.warnings), "content-type": contentType };
  return { status, headers, body: encoded(value, negotiated) };
}

/** Plain JSON and protobuf are encoded where they are sent, if at all. */
function encoded(value: unknown, { mediaType, pretty }: Negotiated): ResponseBody {
  const isYaml = mediaType === "application/yaml";
  if (mediaType === "application/vnd.kubernetes.protobuf" || (!isYaml && !pretty))
    return { kind: "object", value };
  if (hasLongList(value))
    return { kind: "stream", chunks: encodedSlices(listSlices(value, isYaml ? "yaml" : "pretty-json")) };
  return { kind: "bytes", bytes: isYaml ? Buffer.from(encodeYaml(value)) : encodeJson(value, true) };
}

/** Milliseconds for a client to read a list, as for lists in JSON. */
const answerTimeout = 60_000;

/** Yields to the event loop before each slice. Throws when the client takes too long to read. */
async function* encodedSlices(slices: Iterable<string>): AsyncIterable<Uint8Array> {
  const began = performance.now();
  await yieldToEventLoop();
  for (const slice of slices) {
    yield Buffer.from(slice);
    if (performance.now() - began > answerTimeout) throw new Error("the client reads too slowly");
    await yieldToEventLoop();
  }
}

export const textResponse = (status: number, text: string): TransportResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: { kind: "bytes", bytes: Buffer.from(text) },
});

/** Any thrown value as the Status a client sees. Only ApiErrors say what happened; the rest is an internal error. */
export function failureResponse(
  context: { readonly warnings: readonly string[]; readonly request: TransportRequest },
  error: unknown,
): TransportResponse {
  if (error instanceof PageNotFound) return textResponse(404, "404 page not found\n");
  const failure = error instanceof ApiError ? error : internal(error);
  const retry = failure.details?.retryAfterSeconds;
  const negotiated = negotiateFailure(context.request);
  return {
    status: failure.code,
    headers: {
      ...warningHeaders(context.warnings),
      "content-type": negotiated.contentType,
      ...(retry === undefined ? {} : { "retry-after": String(retry) }),
    },
    body: encoded(statusOf(failure), negotiated),
  };
}

/** Failures come in the encoding asked for, but are nothing else than a Status; who accepts no such thing gets JSON all the same. */
function negotiateFailure({ headers, query }: TransportRequest): Negotiated {
  const pretty = query?.get("pretty");
  const how = { pretty, userAgent: headers?.["user-agent"] };
  try {
    return negotiate(headers?.["accept"], how);
  } catch {
    return negotiate(undefined, { ...how, pretty: "true" });
  }
}

function internal(error: unknown): ApiError {
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(`Internal error occurred: ${message}`, {
    code: 500,
    reason: "InternalError",
    details: { causes: [{ message }] },
    cause: error,
  });
}

/** The `v1` Status of a failure. */
export function statusOf(error: ApiError): JsonObject {
  const { details } = error;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: error.continueToken === undefined ? {} : { continue: error.continueToken },
    status: "Failure",
    message: error.message,
    ...(error.reason === "Unknown" ? {} : { reason: error.reason }),
    ...(details === undefined ? {} : { details: { ...details } as JsonObject }),
    code: error.code,
  };
}

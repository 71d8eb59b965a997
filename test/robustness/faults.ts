// What counts as a mistake of the server's own.
import type { TransportResponse } from "@kubewright/api";

/** Why an answer should never have been given; undefined for successes and refusals. */
export function faultOf({ status, body }: TransportResponse): unknown {
  if (body.kind === "bytes")
    return status < 500 ? undefined : internalError(Buffer.from(body.bytes).toString());
  if (body.kind !== "object") return status < 500 ? undefined : status;
  const { reason, message } = body.value as { reason?: unknown; message?: unknown };
  // What cannot be encoded cannot be sent.
  JSON.stringify(body.value);
  return status >= 500 && reason === "InternalError" && !isExpected(message) ? message : undefined;
}

/** A Status in another encoding. */
const internalError = (text: string): string | undefined =>
  text.includes("InternalError") && !isExpected(text) ? text : undefined;

/** What the real server, too, calls an internal error. */
const isExpected = (message: unknown): boolean =>
  /the spec replicas field .* does not exist/.test(String(message));

// The body of a review request, decoded.
import type { TransportRequest } from "@kubewright/api";
import { messageOf, ReviewError } from "./review-error.js";

/** Deeper than any object an API server stores, and shallow enough to be walked by recursion. */
const maxDepth = 500;

/** Decodes a body. Throws a ReviewError for one that is not JSON, too large or too deep. */
export function reviewBody({ body, headers = {} }: TransportRequest, maxBytes: number): unknown {
  if (body?.kind === "object") return body.value;
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== undefined && type !== "application/json")
    throw new ReviewError(415, "the content type must be application/json");
  if (!body || body.bytes.length === 0) throw new ReviewError(400, "the body is empty");
  if (body.bytes.length > maxBytes) throw new ReviewError(413, `the body is larger than ${maxBytes} bytes`);
  if (isTooDeep(body.bytes)) throw new ReviewError(400, `the body is nested deeper than ${maxDepth} levels`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body.bytes));
  } catch (error) {
    throw new ReviewError(400, `the body is not JSON: ${messageOf(error).slice(0, 200)}`, { cause: error });
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Counts brackets outside of strings only; whether they match is left to the parser. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (inText) {
      if (byte === backslash) index++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (openers.has(byte)) {
      if (++depth > maxDepth) return true;
    } else if (closers.has(byte)) depth--;
  }
  return false;
}

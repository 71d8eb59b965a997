// Answers arrive decoded (in process), whole, or in pieces; callers want the JSON value.
import type { ResponseBody } from "@kubewright/api";

/** A body that is all there. */
export type Body = Exclude<ResponseBody, { readonly kind: "stream" } | { readonly kind: "events" }>;

/** A value, or why there is none. */
export interface Decoded {
  readonly value: unknown;
  readonly problem?: string;
}

/** Reads a body to its end. */
export async function collectBody(body: ResponseBody): Promise<Body> {
  if (body.kind === "events") {
    await body.events[Symbol.asyncIterator]().return?.();
    return { kind: "empty" };
  }
  if (body.kind !== "stream") return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return { kind: "bytes", bytes: Buffer.concat(chunks) };
}

/** The JSON value of a body. What is not JSON is given as text, with the problem. */
export function decodeBody(body: Body, decode = parseJson): Decoded {
  if (body.kind === "object") return { value: body.value };
  if (body.kind === "empty") return { value: undefined, problem: "the answer is empty" };
  try {
    return { value: decode(body.bytes) };
  } catch {
    const text = textOf(body.bytes);
    return { value: text, problem: `the answer is not JSON (${text.length} characters)` };
  }
}

/** The value of a JSON document. */
export function parseJson(document: Uint8Array): unknown {
  return JSON.parse(textOf(document));
}

/** UTF-8 text of bytes, without copying them first. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

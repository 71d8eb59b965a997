// One request to a server behind this one, wherever it is.

import { stringifyJson, type TransportRequest, type TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { UserInfo } from "@kubewright/kinds";
import { headerValueSeparator } from "../auth/impersonation/wanted-user.js";

import type { ExtensionServer } from "./extension-server.js";
import { askRemote } from "./https-extension.js";
import { forwardedHeaders } from "./remote-user.js";

/** Passes the request on as that user. Rejects when there was no answer. */
export function askExtension(
  server: ExtensionServer,
  request: TransportRequest,
  user: UserInfo,
  client: KeyPair | undefined,
): Promise<TransportResponse> {
  const headers = forwardedHeaders(request.headers ?? {}, user);
  const { method, path, query, signal } = request;
  if (server.kind === "function") return server.transport({ ...request, headers: flattened(headers) });
  const search = query?.toString() ?? "";
  const upgrade = request.headers?.["upgrade"];
  return askRemote(
    server,
    {
      method,
      target: search === "" ? path : `${path}?${search}`,
      headers: { ...headers, ...(upgrade ? { connection: "Upgrade", upgrade } : {}) },
      body: bytesOf(request.body),
      signal,
    },
    client,
  );
}

export function bytesOf(body: TransportRequest["body"]): Uint8Array | undefined {
  if (!body) return undefined;
  return body.kind === "bytes" ? body.bytes : Buffer.from(stringifyJson(body.value));
}

const flattened = (headers: Readonly<Record<string, string | string[]>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? value : value.join(headerValueSeparator),
    ]),
  );

/** Answers beyond this size are not read. */
const maxBytes = 64 * 1024 * 1024;

/** The whole of an answer as JSON; undefined when it is none. */
export async function jsonOf({ body }: TransportResponse): Promise<unknown> {
  if (body.kind === "object") return body.value;
  if (body.kind === "bytes") return parsed(Buffer.from(body.bytes));
  if (body.kind !== "stream") return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body.chunks) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return parsed(Buffer.concat(chunks));
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Nobody reads the answer: its connection is given back. */
export async function discard({ body }: TransportResponse): Promise<void> {
  if (body.kind === "stream") await body.chunks[Symbol.asyncIterator]().return?.();
  if (body.kind === "events") await body.events[Symbol.asyncIterator]().return?.();
}

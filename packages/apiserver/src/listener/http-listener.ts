// The thin adapter between Node's HTTPS server and the request function.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ResponseBody, TransportRequest, TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { Peer } from "../auth/authenticate.js";
import { headerValueSeparator } from "../auth/impersonation/wanted-user.js";
import { encodeJson, maxBodyBytes, shouldCompress } from "../codec/index.js";
import { eventWriter } from "./event-writer.js";
import { peerReader } from "./peer.js";

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly serving: KeyPair;
  /** Client certificates signed by this authority are believed. */
  readonly clientAuthority: string;
}

export type RequestFunction = (request: TransportRequest, peer: Peer) => Promise<TransportResponse>;

export interface Listener {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly port: number;
  /** Stops listening and ends open connections, watches included. */
  close(): Promise<void>;
}

const compress = promisify(gzip);

/** Serves the function over TLS. */
export async function listen(handle: RequestFunction, options: ListenOptions): Promise<Listener> {
  const writeEvents = eventWriter();
  const peerOf = peerReader();
  const server = createServer(
    {
      cert: options.serving.certificate,
      key: options.serving.key,
      ca: options.clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 120_000,
    },
    (request, response) => {
      const answer = (parsed: TransportRequest) => handle(parsed, peerOf(request.socket as TLSSocket));
      serve(answer, writeEvents, request, response).catch(() => response.destroy());
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `https://${host}:${port}`, port, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

type WriteEvents = ReturnType<typeof eventWriter>;

async function serve(
  answer: (request: TransportRequest) => Promise<TransportResponse>,
  writeEvents: WriteEvents,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const aborted = new AbortController();
  outgoing.once("close", () => aborted.abort());
  const bytes = await readBody(incoming);
  const url = new URL(incoming.url ?? "/", "https://localhost");
  const request: TransportRequest = {
    method: (incoming.method ?? "GET") as TransportRequest["method"],
    path: url.pathname,
    query: url.searchParams,
    headers: flatHeaders(incoming),
    body: bytes.length > 0 ? { kind: "bytes", bytes } : undefined,
    signal: aborted.signal,
  };
  const response = await answer(request);
  await respond(outgoing, response, request, writeEvents);
}

/** The whole body; one byte over the limit is kept so that the decoder refuses it, the rest is drained unread. */
async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    if (size <= maxBodyBytes && Buffer.isBuffer(chunk)) chunks.push(chunk);
    size += chunk.length;
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function flatHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
    // Names of groups may hold commas, so what was sent separately has to stay apart.
    if (name.startsWith("impersonate-"))
      headers[name] = incoming.headersDistinct[name]?.join(headerValueSeparator) ?? "";
  }
  return headers;
}

async function respond(
  outgoing: ServerResponse,
  response: TransportResponse,
  request: TransportRequest,
  writeEvents: WriteEvents,
): Promise<void> {
  for (const [name, value] of Object.entries(response.headers)) {
    outgoing.setHeader(name, typeof value === "string" ? asBytes(value) : value.map(asBytes));
  }
  outgoing.statusCode = response.status;
  if (response.body.kind === "events") {
    outgoing.flushHeaders();
    await writeEvents(response.body.events, outgoing);
    outgoing.end();
  } else if (response.body.kind === "stream") {
    outgoing.flushHeaders();
    for await (const chunk of response.body.chunks) outgoing.write(chunk);
    outgoing.end();
  } else await sendWhole(outgoing, response.body, request);
}

/** Header text as UTF-8, one character per byte: what Go sends and Node insists on. */
function asBytes(text: string): string {
  return /[\u0080-\uffff]/.test(text) ? Buffer.from(text).toString("latin1") : text;
}

type WholeBody = Exclude<ResponseBody, { kind: "events" } | { kind: "stream" }>;

async function sendWhole(
  outgoing: ServerResponse,
  body: WholeBody,
  request: TransportRequest,
): Promise<void> {
  let bytes =
    body.kind === "object" ? encodeJson(body.value) : body.kind === "bytes" ? body.bytes : new Uint8Array();
  if (shouldCompress(bytes.length, request.headers?.["accept-encoding"])) {
    bytes = await compress(bytes, { level: 1 });
    outgoing.setHeader("content-encoding", "gzip");
    outgoing.setHeader("vary", "accept-encoding");
  }
  outgoing.setHeader("content-length", bytes.length);
  outgoing.end(request.method === "HEAD" ? undefined : bytes);
}

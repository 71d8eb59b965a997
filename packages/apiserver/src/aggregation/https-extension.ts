// Requests to servers behind this one, over TLS: bodies and answers pass through as bytes, watches as they come, upgrades as the
// connection itself.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { TransportRequest, TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { TunnelResponse } from "../listener/tunnel.js";
import type { RemoteExtension } from "./extension-server.js";

/** A request, its headers with several values where there are several. */
export interface ForwardedRequest {
  readonly method: TransportRequest["method"];
  /** With the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Sends it; rejects when there was no answer. */
export function askRemote(
  server: RemoteExtension,
  request: ForwardedRequest,
  client: KeyPair | undefined,
): Promise<TransportResponse | TunnelResponse> {
  const { hostname, port, protocol } = new URL(server.origin);
  const { method, target, headers, body, signal } = request;
  const options: RequestOptions = {
    protocol,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port || (protocol === "http:" ? 80 : 443),
    path: target,
    method,
    signal,
    // Servers come and go, and nothing must stay open behind them.
    agent: false,
    headers: {
      ...headers,
      host: server.serverName,
      ...(body ? { "content-length": body.length } : {}),
    },
    ...(protocol === "http:" ? {} : tlsOptions(server, client)),
  };
  return exchange(protocol === "http:" ? httpRequest : httpsRequest, options, body);
}

/** Sends one request with Node's client; rejects when there was no answer. */
export function exchange(
  send: typeof httpsRequest,
  options: RequestOptions,
  body: Uint8Array | undefined,
): Promise<TransportResponse | TunnelResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = send(options, (incoming) => resolve(answerOf(incoming)));
    outgoing.on("upgrade", (incoming, socket, head) => resolve(agreed(incoming, socket, head)));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function tlsOptions({ serverName, authority, insecure }: RemoteExtension, client: KeyPair | undefined) {
  return {
    servername: /^[\d.]+$|:/.test(serverName) ? "" : serverName,
    rejectUnauthorized: !insecure,
    // As Go does, trust any certificate of the bundle, and not only roots that signed themselves.
    ...(authority ? { ca: authority, allowPartialTrustChain: true } : {}),
    ...(client ? { cert: client.certificate, key: client.key } : {}),
  };
}

const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "trailer"]);

function answerOf(incoming: IncomingMessage): TransportResponse {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined && !ofConnection.has(name)) headers[name] = value;
  return {
    status: incoming.statusCode ?? 502,
    headers,
    body: { kind: "stream", chunks: incoming as AsyncIterable<Uint8Array> },
  };
}

const agreed = (incoming: IncomingMessage, socket: Duplex, head: Buffer): TunnelResponse => ({
  status: 101,
  headers: {},
  body: { kind: "empty" },
  tunnel: { socket, head, rawHeaders: incoming.rawHeaders },
});

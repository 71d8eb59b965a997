// Graceful shutdown of a listener: it accepts no new connections, ends watches as their timeout does, waits for requests in
// flight, and then closes every connection.
import type { ServerHttp2Session } from "node:http2";
import type { Server } from "node:https";
import type { Duplex, Writable } from "node:stream";
import type { TransportResponse } from "@kubewright/api";

/** The requests and connections of a listener that shutdown has to end. */
export interface Ongoing {
  /** Watches, which go on until someone ends them. */
  readonly watches: Set<Writable>;
  /** Responses to requests in flight. */
  readonly answers: Set<Writable>;
  /** Upgraded connections, and connections whose TLS handshake has not begun. */
  readonly upgraded: Set<Duplex>;
  /** HTTP/2 connections. */
  readonly sessions: Set<ServerHttp2Session>;
  /** Whether shutdown has begun. */
  isClosing: boolean;
}

export interface ClosingOptions {
  /** Milliseconds that requests in flight may take. */
  readonly timeout: number;
  /** Whether the listener accepts connections until the end and answers 429 with Retry-After, instead of refusing connections. */
  readonly sendRetryAfter: boolean;
}

/** Milliseconds that the last bytes of watches may take to reach their clients. */
const watchGrace = 250;

/** Closes the server. Byte streams, such as logs, and upgraded connections are cut off. */
export async function closeServer(server: Server, ongoing: Ongoing, options: ClosingOptions): Promise<void> {
  ongoing.isClosing = true;
  let closed = options.sendRetryAfter ? undefined : stopListening(server);
  // They take no new requests, and end with the last they have.
  if (closed) for (const session of ongoing.sessions) session.close();
  await Promise.all([
    within(watchGrace, [...ongoing.watches].map(ended)),
    within(options.timeout, [...ongoing.answers].map(closing)),
  ]);
  closed ??= stopListening(server);
  server.closeAllConnections();
  for (const session of ongoing.sessions) session.destroy();
  for (const socket of ongoing.upgraded) socket.destroy();
  await closed;
}

const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => void server.close(() => resolve()));

/** Waits for all promises, but no longer than the given time. */
async function within(milliseconds: number, all: readonly Promise<void>[]): Promise<void> {
  if (all.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([Promise.all(all), enough]);
  clearTimeout(timer);
}

const closing = (outgoing: Writable): Promise<void> =>
  new Promise((resolve) => void outgoing.once("close", resolve));

function ended(outgoing: Writable): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.end(resolve);
  });
}

/** Probes and metrics are answered during shutdown too. */
const exempt = ["/readyz", "/livez", "/healthz", "/metrics"];

/** The answer to a request that arrives during shutdown; undefined for paths that are still served. */
export function shutdownResponse(path: string, sendRetryAfter: boolean): TransportResponse | undefined {
  if (exempt.some((prefix) => path.startsWith(prefix))) return undefined;
  const headers = { connection: "close", "x-content-type-options": "nosniff" };
  if (sendRetryAfter) {
    const bytes = Buffer.from("The apiserver is shutting down, please try again later.\n");
    return {
      status: 429,
      headers: { ...headers, "retry-after": "5", "content-type": "text/plain; charset=utf-8" },
      body: { kind: "bytes", bytes },
    };
  }
  return {
    status: 503,
    headers: { ...headers, "retry-after": "1", "content-type": "application/json" },
    body: { kind: "object", value: shuttingDown },
  };
}

const shuttingDown = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "apiserver is shutting down",
  reason: "ServiceUnavailable",
  code: 503,
};

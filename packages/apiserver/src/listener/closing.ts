// How a listener ends: nobody new is let in, watches end as when their time is up, what is being worked on is answered, and
// then every connection goes.
import type { ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Duplex } from "node:stream";
import type { TransportResponse } from "@kubewright/api";

/** What a listener has going on. */
export interface Ongoing {
  /** Answers that go on until someone ends them. */
  readonly watches: Set<ServerResponse>;
  /** Answers that are being made and will be whole. */
  readonly answers: Set<ServerResponse>;
  /** Connections that became something else, or nothing yet. */
  readonly upgraded: Set<Duplex>;
  /** Whether the end has begun. */
  isClosing: boolean;
}

export interface ClosingOptions {
  /** Milliseconds for requests that are being worked on. */
  readonly patience: number;
  /** Whether those who connect until the end are asked to come again, instead of finding nobody. */
  readonly sendRetryAfter: boolean;
}

/** How long the ends of watches have to reach their clients. */
const watchGrace = 250;

/** Streams of bytes, such as logs, and what connections became are cut off. */
export async function closeServer(server: Server, ongoing: Ongoing, options: ClosingOptions): Promise<void> {
  ongoing.isClosing = true;
  let closed = options.sendRetryAfter ? undefined : stopListening(server);
  await Promise.all([
    within(watchGrace, [...ongoing.watches].map(ended)),
    within(options.patience, [...ongoing.answers].map(closing)),
  ]);
  closed ??= stopListening(server);
  server.closeAllConnections();
  for (const socket of ongoing.upgraded) socket.destroy();
  await closed;
}

const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => void server.close(() => resolve()));

/** Waits for all of them, but no longer than that. */
async function within(milliseconds: number, all: readonly Promise<void>[]): Promise<void> {
  if (all.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([Promise.all(all), enough]);
  clearTimeout(timer);
}

const closing = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => void outgoing.once("close", resolve));

function ended(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.end(resolve);
  });
}

/** Whoever watches over the server still has to know how it is. */
const exempt = ["/readyz", "/livez", "/healthz", "/metrics"];

/** What is said to those who come too late; undefined for those who are answered all the same. */
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

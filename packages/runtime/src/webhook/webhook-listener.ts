// The HTTPS server in front of the webhook handler.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { isIPv6 } from "node:net";
import { systemClock, type TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { WebhookHandler } from "./webhook-handler.js";

export interface WebhookListenerOptions {
  readonly handler: WebhookHandler;
  /** All addresses when undefined. */
  readonly host: string | undefined;
  readonly port: number;
  readonly onError: (error: unknown) => void;
  /**
   * Bytes of all bodies that are being read: anybody who reaches the port can send some, and the memory of a pod is small. Default: 96 MiB,
   * room for the largest conversion and many admission reviews.
   */
  readonly maxBodyBytes?: number | undefined;
}

/** The time that responses under way are given when the server closes, in milliseconds. */
const grace = 5_000;
/** API servers keep connections; to close one before they do would fail the request that is just being sent. */
const limits = { requestTimeout: 60_000, headersTimeout: 10_000, keepAliveTimeout: 120_000 };

export class WebhookListener {
  readonly #options: WebhookListenerOptions;
  #server: Server | undefined;
  #isDraining = false;
  /** Of bodies that are being read. */
  #bodyBytes = 0;

  constructor(options: WebhookListenerOptions) {
    this.#options = options;
  }

  /** Undefined while it does not listen. */
  get port(): number | undefined {
    const address = this.#server?.address();
    return typeof address === "object" && address !== null ? address.port : undefined;
  }

  /** As seen from this machine: `https://127.0.0.1:9443`. */
  get url(): string | undefined {
    const { host = "127.0.0.1" } = this.#options;
    return this.port === undefined ? undefined : `https://${isIPv6(host) ? `[${host}]` : host}:${this.port}`;
  }

  listen(certificate: KeyPair): Promise<void> {
    const { host, port, onError } = this.#options;
    const server = createServer({ ...limits, ...tlsOf(certificate) }, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        // Most often the client has closed the connection.
        if (!request.destroyed) onError(error);
        response.destroy();
      });
    });
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        server.off("error", reject);
        server.on("error", onError);
        resolve();
      });
    });
  }

  /** Serves new connections with another certificate; those that are open stay. */
  renew(certificate: KeyPair): void {
    this.#server?.setSecureContext(tlsOf(certificate));
  }

  /** Goes on answering, and closes each connection after its response, so that clients connect to another server in time. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Takes no more requests and lets those under way be answered, for a while. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server?.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const timer = systemClock.setTimer(grace, () => server.closeAllConnections());
    await closed;
    timer.cancel();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handler } = this.#options;
    const { pathname, searchParams } = locationOf(request.url);
    const method = request.method === "POST" ? "POST" : "GET";
    const limit = method === "POST" ? handler.maxBytes(pathname) : undefined;
    const bytes = limit === undefined ? undefined : await this.#bodyOf(request, limit);
    if (bytes === "no room") return sendBusy(response);
    const answer = await handler.handle({
      method,
      path: pathname,
      query: searchParams,
      headers: { "content-type": request.headers["content-type"] ?? "" },
      body: bytes && { kind: "bytes", bytes },
    });
    const isUnread = limit === undefined || (bytes !== undefined && bytes.length > limit);
    send(response, answer, isUnread || this.#isDraining);
  }

  /** The body, or the first bytes beyond the limit: the handler refuses what is too large. */
  async #bodyOf(request: IncomingMessage, limit: number): Promise<Uint8Array | "no room"> {
    const { maxBodyBytes = 96 * 1024 * 1024 } = this.#options;
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      // A connection that ended here would not take the answer.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        if (!(chunk instanceof Uint8Array)) continue;
        chunks.push(chunk);
        size += chunk.length;
        this.#bodyBytes += chunk.length;
        if (this.#bodyBytes > maxBodyBytes) return "no room";
        if (size > limit) break;
      }
      return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    } finally {
      this.#bodyBytes -= size;
    }
  }
}

function sendBusy(response: ServerResponse): void {
  const headers = { "content-type": "text/plain; charset=utf-8", "retry-after": "1", connection: "close" };
  response.writeHead(503, headers).end("too many requests with large bodies at once\n");
}

const base = "https://localhost/";

function locationOf(url = "/"): URL {
  return new URL(URL.canParse(url, base) ? url : "/", base);
}

function send(response: ServerResponse, { status, headers, body }: TransportResponse, ends: boolean): void {
  const bytes =
    body.kind === "bytes"
      ? body.bytes
      : Buffer.from(JSON.stringify(body.kind === "object" ? body.value : ""));
  response.writeHead(status, {
    "content-type": String(headers["content-type"] ?? "application/json"),
    "content-length": bytes.length,
    "x-content-type-options": "nosniff",
    // The unread rest of a body would be taken for the next request, and a draining server takes no further requests.
    ...(ends ? { connection: "close" } : {}),
  });
  response.end(bytes);
}

function tlsOf({ certificate, key }: KeyPair) {
  return { cert: certificate, key, minVersion: "TLSv1.2" as const };
}

// A small HTTP server for probes, scrapers and dashboards. It answers GET and HEAD and nothing else.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { isIPv6 } from "node:net";
import { type Clock, systemClock } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";

/** The address to listen on. */
export interface ListenOptions {
  /** 0 for any that is free. */
  readonly port: number;
  /** `0.0.0.0` or `::` for all addresses. Default: 127.0.0.1. */
  readonly host?: string | undefined;
}

export interface HttpRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: IncomingMessage["headers"];
}

export interface HttpResponse {
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly body: string;
}

export interface HttpListenerOptions extends ListenOptions {
  readonly respond: (request: HttpRequest) => Promise<HttpResponse>;
  /** Serves TLS with this. */
  readonly certificate?: KeyPair | undefined;
  readonly onError: (error: unknown) => void;
  /** Stands still while sockets are opened and closed. */
  readonly clock: Clock;
}

/** The time that responses under way are given when the server closes, in milliseconds. */
const grace = 1_000;
const limits = { requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 30_000 };

export class HttpListener {
  readonly #options: HttpListenerOptions;
  #server: Server | undefined;
  #setCertificate: ((certificate: KeyPair) => void) | undefined;

  constructor(options: HttpListenerOptions) {
    this.#options = options;
  }

  /** `http://127.0.0.1:8080`; undefined while it does not listen. */
  get url(): string | undefined {
    const address = this.#server?.address();
    if (typeof address !== "object" || address === null) return undefined;
    const host = isIPv6(address.address) ? `[${address.address}]` : address.address;
    return `${this.#options.certificate ? "https" : "http"}://${host}:${address.port}`;
  }

  /** Serves new connections with another certificate. */
  renew(certificate: KeyPair): void {
    this.#setCertificate?.(certificate);
  }

  listen(): Promise<void> {
    const { port, host = "127.0.0.1", onError } = this.#options;
    const server = this.#create();
    this.#server = server;
    return this.#marked(
      new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen({ port, host }, () => {
          server.off("error", reject);
          server.on("error", onError);
          resolve();
        });
      }),
    );
  }

  /** Lets responses under way finish, for a moment. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server?.listening) return;
    const closed = new Promise<unknown>((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const timer = systemClock.setTimer(grace, () => server.closeAllConnections());
    await this.#marked(closed);
    timer.cancel();
  }

  async #marked<T>(work: Promise<T>): Promise<T> {
    const release = this.#options.clock.busy("a listener");
    try {
      return await work;
    } finally {
      release();
    }
  }

  #create(): Server {
    const { certificate } = this.#options;
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#serve(request, response).catch((error: unknown) => {
        this.#options.onError(error);
        response.destroy();
      });
    };
    if (!certificate) return createHttpServer(limits, serve);
    const server = createHttpsServer({ ...limits, ...tlsOf(certificate) }, serve);
    this.#setCertificate = (next) => server.setSecureContext(tlsOf(next));
    return server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers } = request;
    const isRead = method === "GET" || method === "HEAD";
    const { status, contentType, body } = isRead ? await this.#respond(request) : notAllowed;
    response.writeHead(status, {
      "content-type": contentType ?? "text/plain; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      // A body that may follow is not read: the connection ends here.
      ...((!isRead || headers["transfer-encoding"] !== undefined) && { connection: "close" }),
    });
    response.end(method === "HEAD" ? undefined : body);
  }

  async #respond({ url = "/", headers }: IncomingMessage): Promise<HttpResponse> {
    if (!URL.canParse(url, "http://localhost")) return { status: 400, body: "Bad Request\n" };
    const { pathname, searchParams } = new URL(url, "http://localhost");
    try {
      return await this.#options.respond({ path: pathname, query: searchParams, headers });
    } catch (error) {
      this.#options.onError(error);
      return { status: 500, body: "Internal Server Error\n" };
    }
  }
}

const notAllowed: HttpResponse = { status: 405, body: "Method Not Allowed\n" };

export const notFound: HttpResponse = { status: 404, body: "Not Found\n" };

function tlsOf({ certificate, key }: KeyPair) {
  return { cert: certificate, key, minVersion: "TLSv1.2" as const };
}

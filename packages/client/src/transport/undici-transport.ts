// HTTP/1.1 over pooled connections to one API server: the transport for real clusters. HTTP/2 is left out on purpose:
// a pool of plain connections is as fast, and does not stop as a whole when one stream does.
import type { Clock, Transport, TransportRequest } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { basic, bearer, type Credentials, staticCredentials } from "../credentials/credentials.js";
import type { ClosableTransport, UpgradeResponse } from "./closable-transport.js";
import type { Peer } from "./connection-problem.js";
import { Connections } from "./connections.js";
import { type Middleware, wrapTransport } from "./middleware.js";
import { observing, type RequestObserver } from "./observe.js";
import { type RateLimitOptions, rateLimit } from "./rate-limit.js";
import { type RetryOptions, retrying } from "./retry.js";
import type { TlsMaterial } from "./tls-material.js";
import { type OpenTelemetryApi, tracing, tracingWhenUsed } from "./tracing.js";
import { Wire } from "./wire.js";

/** The address of the API server, how it is trusted, who the client is, and how many connections it keeps. */
export interface UndiciTransportOptions {
  /** The URL of the API server: `https://10.0.0.1:6443`, with a path if it is served under one. */
  readonly server: string;
  /** The name of the cluster in messages. */
  readonly cluster?: string | undefined;
  /** PEM text, or a function that gives today's. */
  readonly ca?: string | (() => Promise<string | undefined>) | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** For credentials that change; instead of the five above. */
  readonly credentials?: Credentials | undefined;
  /** Headers on every request, such as those of impersonation. */
  readonly headers?: Readonly<Record<string, string | string[]>> | undefined;
  readonly serverName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** `http://`, `https://` or `socks5://`, with a user and password if it wants them. */
  readonly proxyUrl?: string | undefined;
  /** Lets the server compress large answers. Default: on. */
  readonly compression?: boolean | undefined;
  readonly connectTimeout?: number | undefined;
  /** The timeout for a response to begin, and then for each pause in it. Default: 60 s. */
  readonly answerTimeout?: number | undefined;
  /** Connections for calls; watches are not counted. Default: 32. */
  readonly maxConnections?: number | undefined;
  /** The time for which an idle connection is kept. */
  readonly keepAliveTimeout?: number | undefined;
  /** Repeats requests where that is safe; on unless false. */
  readonly retry?: Omit<RetryOptions, "clock"> | false | undefined;
  /** Limits the rate of requests on the client side. Default: off. */
  readonly rateLimit?: Omit<RateLimitOptions, "clock"> | undefined;
  /** Called for every request, for metrics. */
  readonly onRequest?: RequestObserver | undefined;
  /** `@opentelemetry/api`; without it spans are made once the application registers a tracer. False for none. */
  readonly tracing?: OpenTelemetryApi | false | undefined;
  /** Around every attempt to send a request; the first is outermost. */
  readonly middleware?: readonly Middleware[] | undefined;
  readonly clock?: Clock | undefined;
}

/** A transport over HTTPS with a pool of connections, which is closed when it is no longer needed. */
export type HttpTransport = ClosableTransport & Required<Pick<ClosableTransport, "close" | "upgrade">>;

/**
 * Connects to an API server.
 *
 * @example
 * const transport = undiciTransport({ server: "https://10.0.0.1:6443", ca, token });
 * const client = new Client({ transport });
 */
export function undiciTransport(options: UndiciTransportOptions): HttpTransport {
  const server = parseUrl(options.server, "server", ["http:", "https:"]);
  const { answerTimeout = 60_000, cluster = server.origin } = options;
  const peer: Peer = { cluster, headersTimeout: answerTimeout, bodyTimeout: answerTimeout };
  const connections = new Connections({
    server,
    peer,
    proxy: options.proxyUrl ? parseUrl(options.proxyUrl, "proxy-url", proxyProtocols) : undefined,
    connectTimeout: options.connectTimeout ?? 10_000,
    maxConnections: options.maxConnections ?? 32,
    keepAliveTimeout: options.keepAliveTimeout ?? 60_000,
  });
  const wire = new Wire({
    connections,
    credentials: options.credentials ?? givenCredentials(options),
    peer,
    pathPrefix: server.pathname.replace(/\/+$/, ""),
    headers: options.headers ?? {},
    compression: options.compression ?? true,
    trust: trustOf(options),
  });
  const transport = wrapTransport(
    (request) => wire.send(request),
    [...builtInMiddleware(options, server), ...(options.middleware ?? [])],
  );
  // A command over an upgraded connection may have started when the response is lost, so it is not retried.
  const once = builtInMiddleware({ ...options, retry: false }, server);
  const upgrade = async (request: TransportRequest, protocol: string): Promise<UpgradeResponse> => {
    let socket: UpgradeResponse["socket"];
    const send: Transport = async (sent) => {
      const response = await wire.send({ ...sent, upgrade: protocol });
      socket = response.socket;
      return response;
    };
    const response = await wrapTransport(send, [...once, ...(options.middleware ?? [])])(request);
    return { ...response, socket };
  };
  return Object.assign((request: TransportRequest) => transport(request), {
    close: () => connections.close(),
    upgrade,
  });
}

/** Outermost first: a trace spans all attempts, each of which is held back and measured by itself. */
function builtInMiddleware(options: UndiciTransportOptions, server: URL): Middleware[] {
  const { clock, retry, rateLimit: limit, onRequest, tracing: api } = options;
  return [
    ...(api === false ? [] : [api ? tracing(api, server) : tracingWhenUsed(server)]),
    ...(retry === false ? [] : [retrying({ ...retry, clock })]),
    ...(limit ? [rateLimit({ ...limit, clock })] : []),
    ...(onRequest ? [observing(onRequest, server.host, clock)] : []),
  ];
}

const proxyProtocols = ["http:", "https:", "socks5:", "socks5h:"];

function parseUrl(text: string, what: string, protocols: readonly string[]): URL {
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (protocols.includes(url.protocol)) return url;
  }
  // A proxy's address may hold a password, so it is not repeated.
  throw new ConfigError(`${what} must be an address that starts with ${protocols.join("// or ")}//`);
}

function givenCredentials({ token, username, password, cert, key }: UndiciTransportOptions): Credentials {
  const headers =
    token !== undefined ? bearer(token) : username !== undefined ? basic(username, password ?? "") : {};
  if (cert === undefined && key === undefined) return staticCredentials(headers);
  if (cert === undefined || key === undefined) {
    throw new ConfigError("a client certificate and its key are needed together");
  }
  return staticCredentials({ ...headers, certificate: { cert, key } });
}

function trustOf({ ca, serverName, insecureSkipTlsVerify }: UndiciTransportOptions) {
  const fixed: TlsMaterial = { serverName, insecureSkipTlsVerify };
  if (typeof ca !== "function") return () => ({ ...fixed, ca });
  return async () => ({ ...fixed, ca: await ca() });
}

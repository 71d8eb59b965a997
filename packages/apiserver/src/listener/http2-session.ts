// HTTP/2 beside HTTP/1.1: clients that offer it while the TLS connection is made, as Go's do, send many requests over one
// connection. Each is served as any other. Connections cannot be taken over, so exec, port-forward and WebSockets stay with HTTP/1.1,
// as in kube-apiserver.
//
// Bounds: a hundred requests at a time, headers and windows of a fixed size. A client that takes requests back while the server still
// works on them may begin others; the connection ends when the server works on four hundred, as in kube-apiserver. Node and nghttp2
// see to resets, pings, settings and broken frames.
import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Incoming, Outgoing } from "./exchange.js";

export interface Http2Options {
  /** Milliseconds for all of a request. */
  readonly requestTimeout: number;
  /** Milliseconds for the next request, while there is none. */
  readonly idleTimeout: number;
  readonly maxHeaderBytes: number;
}

/** As many as kube-apiserver serves at a time on one connection. */
const maxStreams = 100;
/** The limit of requests in flight, including cancelled ones. */
const maxInFlight = 4 * maxStreams;
/** Room for the bodies of most requests, as kube-apiserver leaves it. */
const windowBytes = 256 * 1024;
/** Megabytes that one connection may make the server hold. */
const maxSessionMemory = 32;

/** Serves the requests of one connection. */
export function serveHttp2(
  socket: TLSSocket,
  serve: (incoming: Incoming, outgoing: Outgoing) => Promise<void>,
  options: Http2Options,
): ServerHttp2Session {
  const session = performServerHandshake(socket, {
    maxSessionMemory,
    // Headers are limited by their size alone: none is left out.
    maxHeaderListPairs: options.maxHeaderBytes,
    settings: {
      maxConcurrentStreams: maxStreams,
      initialWindowSize: windowBytes,
      maxHeaderListSize: options.maxHeaderBytes,
      enablePush: false,
    },
  });
  let inFlight = 0;
  session.on("error", () => session.destroy());
  session.setTimeout(options.idleTimeout, () => session.close());
  session.on(
    "stream",
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      stream.on("error", ignore);
      if (inFlight >= maxInFlight) {
        session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
        return;
      }
      inFlight++;
      limitTime(stream, options.requestTimeout);
      const served = serve(new Http2Incoming(stream, headers, rawHeaders), outgoingOf(stream, session));
      void served.catch(() => stream.destroy()).finally(() => inFlight--);
    },
  );
  return session;
}

const ignore = (): void => undefined;

/** A request has to be there in time; an answer takes as long as it takes. */
function limitTime(stream: ServerHttp2Stream, milliseconds: number): void {
  if (stream.endAfterHeaders) return;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), milliseconds);
  stream.once("end", () => clearTimeout(timer));
  stream.once("close", () => clearTimeout(timer));
}

/** A request as HTTP/1.1 has it. */
class Http2Incoming implements Incoming {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly hasBody: boolean;
  readonly #stream: ServerHttp2Stream;
  readonly rawHeaders: readonly string[];

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]) {
    this.#stream = stream;
    this.rawHeaders = rawHeaders;
    this.method = headers[":method"];
    this.url = headers[":path"];
    this.headers = {};
    for (const name in headers) if (!name.startsWith(":")) this.headers[name] = headers[name];
    this.headers.host ??= headers[":authority"];
    this.hasBody = !stream.endAfterHeaders;
  }

  /** Values that were sent separately. */
  get headersDistinct(): NodeJS.Dict<string[]> {
    const distinct: NodeJS.Dict<string[]> = {};
    for (let index = 0; index < this.rawHeaders.length; index += 2) {
      const name = this.rawHeaders[index]?.toLowerCase() ?? "";
      distinct[name] = [...(distinct[name] ?? []), this.rawHeaders[index + 1] ?? ""];
    }
    return distinct;
  }

  get complete(): boolean {
    return !this.hasBody || this.#stream.readableEnded;
  }

  on(event: string, listener: (...args: never[]) => void): this {
    this.#stream.on(event, listener as never);
    return this;
  }

  once(event: string, listener: (...args: never[]) => void): this {
    this.#stream.once(event, listener as never);
    return this;
  }

  off(event: string, listener: (...args: never[]) => void): this {
    this.#stream.off(event, listener as never);
    return this;
  }

  pause(): this {
    this.#stream.pause();
    return this;
  }

  resume(): this {
    this.#stream.resume();
    return this;
  }

  destroy(): void {
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }
}

/** The stream with the two methods by which answers begin. */
function outgoingOf(stream: ServerHttp2Stream, session: ServerHttp2Session): Outgoing {
  const outgoing: Outgoing = Object.assign(stream, {
    writeHead(status: number, headers: OutgoingHttpHeaders): Outgoing {
      const { connection, ...rest } = headers;
      if (stream.closed || stream.destroyed) return outgoing;
      stream.respond({ ":status": status, ...rest });
      // A client that could not be authenticated gets no second try on this connection, so that floods cost their senders handshakes.
      if (connection === "close" || status === constants.HTTP_STATUS_UNAUTHORIZED) session.close();
      return outgoing;
    },
    // Headers are sent as soon as they are known.
    flushHeaders: ignore,
  });
  return outgoing;
}

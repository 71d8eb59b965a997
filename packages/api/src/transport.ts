// The one request function. A client is written against Transport; the embedded API server is one, an HTTP
// connection pool is another. In process, objects are handed over as they are (frozen, never copied or encoded).
import type { WatchEvent } from "./object.js";

/** Sends one request. Resolves for every HTTP status; rejects only when there was no answer. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** One request, whatever carries it. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "HEAD";
  /** Absolute path without the query, segments percent-encoded. */
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: RequestBody | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called right before the request is written to its connection, for each attempt; when it throws nothing is sent, and the call rejects with
   * that. Transports that send at once need not call it.
   */
  readonly beforeSend?: (() => void) | undefined;
  /** The caller reads the body as it comes (a watch, a followed log); otherwise it may be collected first. */
  readonly stream?: boolean | undefined;
}

/** Bytes carry the type that the `content-type` header names; an object is JSON that was never encoded. */
export type RequestBody =
  | { readonly kind: "object"; readonly value: unknown }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

/** The answer to one request. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; `warning` may be repeated. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ResponseBody;
  /** With status 101: from now on both sides send messages. Only for requests that ask for it in their headers. */
  readonly upgrade?: Upgrade | undefined;
  /** Called with the number of bytes sent for the body, where it was encoded and sent as a whole. */
  readonly onSent?: ((bytes: number) => void) | undefined;
}

/** The protocol a connection is upgraded to. */
export interface Upgrade {
  /** The protocol of a connection that is no WebSocket: its bytes are messages as they come. */
  readonly as?: "SPDY/3.1" | undefined;
  /** The subprotocol that was chosen of those the client speaks. */
  readonly protocol: string;
  /** Called once, with the connection. */
  serve(socket: MessageSocket): void;
}

/** A connection on which both sides send messages, over a WebSocket for instance. */
export interface MessageSocket {
  /** Sends a message; resolves when the other side takes more. Does nothing once the connection has ended. */
  send(message: Uint8Array): Promise<void>;
  /** The same with a message of text, in UTF-8, where that makes a difference to the other side. */
  sendText?(text: Uint8Array): Promise<void>;
  /** Sets the handlers for messages and, once, for the end. */
  listen(listener: { onMessage(message: Uint8Array): void; onEnd(): void }): void;
  pause(): void;
  resume(): void;
  /** Ends the connection in order. */
  close(): void;
}

/**
 * - `object`: a decoded, frozen JSON value.
 * - `bytes`: the whole body, encoded.
 * - `events`: a watch whose events were never encoded. Returning from the iterator ends the watch.
 * - `stream`: bytes as they come (watches over HTTP, logs). Returning from the iterator closes the connection.
 */
export type ResponseBody =
  | { readonly kind: "empty" }
  | { readonly kind: "object"; readonly value: unknown }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "events"; readonly events: AsyncIterable<WatchEvent<unknown>> }
  | { readonly kind: "stream"; readonly chunks: AsyncIterable<Uint8Array> };

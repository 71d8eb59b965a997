// A request and its response on a connection, with the API of HTTP/1.1, which HTTP/2 is adapted to.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Writable } from "node:stream";

/** The request side: an IncomingMessage, or a stream of HTTP/2. */
export interface Incoming {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly headersDistinct: NodeJS.Dict<string[]>;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** Whether all of it was received. */
  readonly complete: boolean;
  /** Whether there is a body, where headers do not say so. */
  readonly hasBody?: boolean | undefined;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  once(event: "end" | "close" | "error", listener: (error?: Error) => void): unknown;
  off(event: "data", listener: (chunk: Buffer) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  /** Ends the request, and with HTTP/1.1 its connection. */
  destroy(): unknown;
}

/** The response side: a ServerResponse, or a stream of HTTP/2. */
export interface Outgoing extends Writable {
  writeHead(status: number, headers: OutgoingHttpHeaders): Outgoing;
  flushHeaders(): void;
}

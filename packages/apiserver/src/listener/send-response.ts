// Sends responses over HTTP: headers, compression, long lists in slices, watch events.

import type { OutgoingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import {
  type ResponseBody,
  stringifyJson,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from "@kubewright/api";
import { encodeProtobuf, shouldCompress } from "@kubewright/machinery";
import { hasLongList, listSlices } from "../request/list-slices.js";
import { withArrays } from "../request/mapped-list.js";
import { booleanParameter } from "../request/query-parameters.js";
import { yieldToEventLoop } from "../time-slice.js";
import type { Ongoing } from "./closing.js";
import type { EventWriter } from "./event-writer.js";
import type { Incoming, Outgoing } from "./exchange.js";
import { itemsOf, type KeptAnswers, protobufPieces } from "./protobuf-pieces.js";
import { drained, pour } from "./sink.js";

/** The state that all exchanges of a listener share. */
export interface ListenerContext extends Ongoing {
  readonly writeEvents: EventWriter;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly stallTimeout: number;
  /** Milliseconds for a client to read all of an answer, but for watches and other streams. */
  readonly answerTimeout: number;
  readonly keptAnswers: KeptAnswers;
  /** Whether requests during shutdown are answered 429 with Retry-After. */
  readonly sendRetryAfter: boolean;
}

/** One exchange with a client. */
export interface Exchange {
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly request: TransportRequest;
  readonly listener: ListenerContext;
}

const compress = promisify(gzip);

/** Sends the response; resolves when the last of it was handed to the connection, or the client has disconnected. */
export async function sendResponse(exchange: Exchange, response: TransportResponse): Promise<void> {
  const { outgoing, request } = exchange;
  const { body, status, onSent } = response;
  if (outgoing.destroyed) return abandon(body);
  const headers = headersOf(response);
  // During shutdown every response closes its connection.
  if (exchange.listener.isClosing) headers["connection"] = "close";
  switch (body.kind) {
    case "events":
      outgoing.writeHead(status, headers).flushHeaders();
      await sendEvents(exchange, body.events, isProtobuf(response) ? "protobuf" : "json");
      return;
    case "stream":
      exchange.listener.answers.delete(outgoing);
      outgoing.writeHead(status, headers).flushHeaders();
      // A watch of an aggregated API server ends as any other watch does; any other stream is incomplete when it is cut off.
      if (isWatch(request)) exchange.listener.watches.add(outgoing);
      await forward(body.chunks, exchange).finally(() => exchange.listener.watches.delete(outgoing));
      outgoing.end();
      return;
    case "object": {
      const head = { status, headers, onSent };
      const { value } = body;
      const isLong = hasLongList(value) && request.method !== "HEAD";
      if (isProtobuf(response))
        return isLong
          ? sendProtobuf(exchange, head, value)
          : sendWhole(exchange, head, encodeProtobuf(withArrays(value)));
      return isLong
        ? sendSlices(exchange, head, listSlices(value, "json"))
        : sendWhole(exchange, head, `${stringifyJson(withArrays(value))}\n`);
    }
    case "bytes":
      return sendWhole(exchange, { status, headers, onSent }, body.bytes);
    case "empty":
      return sendWhole(exchange, { status, headers, onSent }, "");
  }
}

const isWatch = ({ query }: TransportRequest): boolean =>
  query !== undefined && booleanParameter(query, "watch") === true;

/** Whether an answer was negotiated to be in protobuf. */
export const isProtobuf = ({ headers }: TransportResponse): boolean =>
  String(headers["content-type"]).startsWith("application/vnd.kubernetes.protobuf");

async function sendProtobuf(
  exchange: Exchange,
  head: Head,
  value: Readonly<Record<string, unknown>>,
): Promise<void> {
  const items = itemsOf(value);
  if (!items) return sendWhole(exchange, head, encodeProtobuf(value));
  const { pieces, release } = await protobufPieces(value, items, exchange.listener.keptAnswers);
  try {
    await sendSlices(exchange, head, pieces);
  } finally {
    release();
  }
}

async function sendEvents(
  { outgoing, listener }: Exchange,
  events: AsyncIterable<WatchEvent<unknown>>,
  encoding: "json" | "protobuf",
): Promise<void> {
  listener.answers.delete(outgoing);
  listener.watches.add(outgoing);
  try {
    await listener.writeEvents(events, outgoing, listener.stallTimeout, encoding);
  } finally {
    listener.watches.delete(outgoing);
  }
  outgoing.end();
}

/** Ends the source of a body that nobody will read. */
async function abandon(body: ResponseBody): Promise<void> {
  if (body.kind === "events") await body.events[Symbol.asyncIterator]().return?.();
  if (body.kind === "stream") await body.chunks[Symbol.asyncIterator]().return?.();
}

function headersOf({ headers }: TransportResponse): OutgoingHttpHeaders {
  // Proxies must not cache responses, except where a response sets the header itself.
  const sent: OutgoingHttpHeaders = { "cache-control": "no-cache, private" };
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string") sent[name] = asBytes(value);
    else if (value) sent[name] = value.map(asBytes);
  }
  return sent;
}

/** Header text as UTF-8, one character per byte: Go sends it so, and Node accepts nothing else. */
function asBytes(text: string): string {
  for (let index = 0; index < text.length; index++)
    if (text.charCodeAt(index) > 0x7f) return Buffer.from(text).toString("latin1");
  return text;
}

async function forward(chunks: AsyncIterable<Uint8Array>, { outgoing, listener }: Exchange): Promise<void> {
  for await (const chunk of chunks) {
    if (outgoing.destroyed || outgoing.writableEnded) return;
    if (!outgoing.write(chunk)) await drained(outgoing, listener.stallTimeout);
  }
}

/** Status and headers of a response, and the callback that gets the length of its body. */
interface Head {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly onSent: TransportResponse["onSent"];
}

async function sendWhole(
  exchange: Exchange,
  { status, headers, onSent }: Head,
  body: string | Uint8Array,
): Promise<void> {
  const { outgoing, incoming, request } = exchange;
  let sent = body;
  let length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  if (shouldCompress(length, request.headers?.["accept-encoding"])) {
    sent = await compress(body, { level: 1 });
    length = sent.length;
    Object.assign(headers, compressed);
  }
  headers["content-length"] = length;
  onSent?.(length);
  if (!incoming.complete) headers["connection"] = "close";
  outgoing.writeHead(status, headers);
  if (request.method === "HEAD") outgoing.end();
  else if (!incoming.complete) await sendEarly(exchange, sent);
  else if (length <= longAnswer) outgoing.end(inOnePiece(sent, headers));
  else {
    limitTime(exchange);
    const bytes = typeof sent === "string" ? Buffer.from(sent) : sent;
    await pour(portions(bytes), outgoing, exchange.listener.stallTimeout);
    outgoing.end();
  }
}

/**
 * Ends the connection of a client that takes too long to read, as kube-apiserver does: objects that have long been replaced stay in memory
 * as long as somebody reads them.
 */
function limitTime({ outgoing, listener }: Exchange): void {
  const timer = setTimeout(() => outgoing.destroy(), listener.answerTimeout);
  outgoing.once("close", () => clearTimeout(timer));
  outgoing.once("finish", () => clearTimeout(timer));
}

/** Bodies above this size take milliseconds to encrypt and are sent in portions. */
const longAnswer = 256 * 1024;
const portion = 128 * 1024;

function* portions(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += portion) yield bytes.subarray(at, at + portion);
}

const compressed = { "content-encoding": "gzip", vary: "accept-encoding" };

/** Node sends text together with the headers, as UTF-8: good unless headers hold bytes of their own. */
function inOnePiece(body: string | Uint8Array, headers: OutgoingHttpHeaders): string | Uint8Array {
  if (typeof body !== "string" || !headers["warning"]) return body;
  return Buffer.from(body);
}

/** Milliseconds for which the rest of a request is read that was answered before its end. */
const lingerTime = 2000;

/** Closing while the client still sends would make it lose the response, so the rest is read for a moment. */
async function sendEarly({ incoming, outgoing }: Exchange, body: string | Uint8Array): Promise<void> {
  outgoing.write(body);
  incoming.resume();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerTime);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    incoming.once("end", done);
    incoming.once("close", done);
  });
  outgoing.end();
}

/** Sends a long list slice by slice. A list that fits into one slice is sent as any other body. */
async function sendSlices(
  exchange: Exchange,
  head: Head,
  slices: Iterable<string | Uint8Array>,
): Promise<void> {
  const { outgoing, request } = exchange;
  const { stallTimeout } = exchange.listener;
  const { status, headers, onSent } = head;
  const rest = slices[Symbol.iterator]();
  const first: string | Uint8Array = rest.next().value ?? "";
  await yieldToEventLoop();
  const second = rest.next();
  if (second.done) return sendWhole(exchange, head, first);
  limitTime(exchange);
  const pieces = chain([first, second.value], rest);
  let length = 0;
  if (!shouldCompress(first.length + second.value.length, request.headers?.["accept-encoding"])) {
    outgoing.writeHead(status, headers);
    await pour(
      counted(pieces, (bytes) => (length += bytes)),
      outgoing,
      stallTimeout,
    );
    outgoing.end();
    onSent?.(length);
    return;
  }
  outgoing.writeHead(status, { ...headers, ...compressed });
  const zip = createGzip({ level: 1 });
  outgoing.once("close", () => zip.destroy());
  zip.on("close", () => outgoing.writableEnded || outgoing.destroy());
  zip.on("data", (chunk: Buffer) => (length += chunk.length));
  zip.once("end", () => onSent?.(length));
  zip.pipe(outgoing);
  await yieldToEventLoop();
  await pour(pieces, zip, stallTimeout);
  zip.end();
}

type Pieces = string | Uint8Array;

function* chain(first: readonly Pieces[], rest: Iterator<Pieces>): Iterable<Pieces> {
  yield* first;
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value;
}

function* counted(pieces: Iterable<Pieces>, add: (bytes: number) => void): Iterable<Pieces> {
  for (const piece of pieces) {
    add(Buffer.byteLength(piece));
    yield piece;
  }
}

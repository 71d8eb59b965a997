// Reads one HTTP/1.1 answer from the bytes of a connection that carries nothing else. Node's own reading makes a stream, an
// event and a buffer for every piece that arrives; for a first list of ten thousand objects that takes four times as long as
// decrypting it.
//
// Guarantees
// - What is given is not held on to: its buffer may be used again at once.
// - What comes together is handed on together, however many chunks it was cut into.
// - An answer that is no HTTP, or that is larger than its frame allows, fails; it never fills the memory.
import type { TransportResponse } from "@kubewright/api";

/** The handlers for the parts of a response, in order. */
export interface ResponseHandler {
  onHead(status: number, headers: TransportResponse["headers"]): void;
  onBody(bytes: Uint8Array): void;
  onEnd(): void;
}

/** The peer violates HTTP. The error does not contain what it sent. */
export class MalformedAnswerError extends Error {
  override readonly name = "MalformedAnswerError";
}

/** The part that is read next. A body is `data` of known length, in chunks or not, or `rest`: all until the connection ends. */
type Place = "head" | "size" | "extension" | "data" | "data end" | "trailer" | "rest" | "over";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const maxHead = 64 * 1024;
const maxLine = 4 * 1024;
const maxSizeDigits = 12;
const blockSize = 64 * 1024;
const none = Buffer.alloc(0);
const protocol = "HTTP/1.";
const statusLine = /^HTTP\/1\.[01] ([1-5]\d\d)(?: .*)?$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;

export class ResponseReader {
  readonly #handler: ResponseHandler;
  #place: Place = "head";
  #head = "";
  #isChunked = false;
  /** Bytes left of the data, or the size of the chunk as far as it was read. */
  #left = 0;
  #sizeDigits = 0;
  #lineLength = 0;
  #trailerLength = 0;
  /** The block that bodies are copied to, one after the other; bytes that were handed on are never overwritten. */
  #block = none;
  /** The bytes of the block that were handed on, and those that are filled. */
  #handedOn = 0;
  #filled = 0;

  constructor(handler: ResponseHandler) {
    this.#handler = handler;
  }

  /** Takes in what came. Throws a MalformedAnswerError. */
  push(bytes: Uint8Array): void {
    if (this.#place === "over") return;
    for (let at = 0; at < bytes.length && !this.#isOver(); ) at = this.#step(bytes, at);
    this.#handOn();
    if (this.#isOver()) this.#handler.onEnd();
  }

  /** The connection has ended. False when the answer had not. */
  end(): boolean {
    if (this.#isOver()) return true;
    if (this.#place !== "rest") return false;
    this.#place = "over";
    this.#handler.onEnd();
    return true;
  }

  #isOver(): boolean {
    return this.#place === "over";
  }

  /** Reads something from there on; returns where it ends. */
  #step(bytes: Uint8Array, at: number): number {
    switch (this.#place) {
      case "head":
        return this.#readHead(bytes, at);
      case "size":
        return this.#readSize(bytes, at);
      case "extension":
        return this.#readExtension(bytes[at] ?? 0, at);
      case "data":
        return this.#readData(bytes, at);
      case "data end":
        return this.#readDataEnd(bytes[at] ?? 0, at);
      case "trailer":
        return this.#readTrailer(bytes[at] ?? 0, at);
      default:
        return this.#keep(bytes, at, bytes.length);
    }
  }

  #readHead(bytes: Uint8Array, at: number): number {
    const known = this.#head.length;
    const read = Math.min(bytes.length - at, maxHead);
    this.#head += Buffer.from(bytes.buffer, bytes.byteOffset + at, read).toString("latin1");
    if (!this.#head.startsWith(protocol.slice(0, this.#head.length))) throw malformed();
    const end = this.#head.indexOf("\r\n\r\n");
    if (end === -1) {
      if (this.#head.length >= maxHead) throw malformed();
      return bytes.length;
    }
    const head = this.#head.slice(0, end);
    this.#head = "";
    this.#takeHead(head.split("\r\n"));
    return at + end + 4 - known;
  }

  #takeHead([first = "", ...lines]: readonly string[]): void {
    const status = Number(statusLine.exec(first)?.[1] ?? 0);
    if (status === 0) throw malformed();
    const headers = headersOf(lines);
    // An informational response (1xx) is followed by the final one.
    if (status < 200) return;
    this.#place = this.#bodyPlace(status, headers);
    this.#handler.onHead(status, headers);
  }

  #bodyPlace(status: number, headers: TransportResponse["headers"]): Place {
    const { "transfer-encoding": encoding, "content-length": length } = headers;
    if (status === 204 || status === 304) return "over";
    if (encoding !== undefined) {
      if (String(encoding).toLowerCase() !== "chunked") throw malformed();
      this.#isChunked = true;
      return "size";
    }
    if (length === undefined) return "rest";
    if (typeof length !== "string" || !/^\d{1,15}$/.test(length)) throw malformed();
    this.#left = Number(length);
    return this.#left === 0 ? "over" : "data";
  }

  #readSize(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      const digit = hexDigit(byte);
      if (digit === -1) {
        if (this.#sizeDigits === 0 || !isSizeEnd(byte)) throw malformed();
        this.#place = "extension";
        return at;
      }
      if (++this.#sizeDigits > maxSizeDigits) throw malformed();
      this.#left = this.#left * 16 + digit;
    }
    return bytes.length;
  }

  /** Skips chunk extensions, which may follow a size on its line. */
  #readExtension(byte: number, at: number): number {
    if (byte === lineFeed) {
      this.#place = this.#left === 0 ? "trailer" : "data";
      this.#sizeDigits = 0;
      this.#lineLength = 0;
    } else if (++this.#lineLength > maxLine) throw malformed();
    return at + 1;
  }

  #readData(bytes: Uint8Array, at: number): number {
    const end = this.#keep(bytes, at, Math.min(bytes.length, at + this.#left));
    this.#left -= end - at;
    if (this.#left === 0) this.#place = this.#isChunked ? "data end" : "over";
    return end;
  }

  #readDataEnd(byte: number, at: number): number {
    if (byte === lineFeed) this.#place = "size";
    else if (byte !== carriageReturn) throw malformed();
    return at + 1;
  }

  #readTrailer(byte: number, at: number): number {
    if (++this.#trailerLength > maxHead) throw malformed();
    if (byte === lineFeed) {
      if (this.#lineLength === 0) this.#place = "over";
      this.#lineLength = 0;
    } else if (byte !== carriageReturn) this.#lineLength++;
    return at + 1;
  }

  #keep(bytes: Uint8Array, start: number, end: number): number {
    if (this.#filled + end - start > this.#block.length) this.#renewBlock(bytes.length - start);
    this.#block.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), this.#filled);
    this.#filled += end - start;
    return end;
  }

  /** A new block with room for so much more; what is in the old one and was not handed on comes along. */
  #renewBlock(more: number): void {
    const rest = this.#block.subarray(this.#handedOn, this.#filled);
    this.#block = Buffer.allocUnsafeSlow(Math.max(blockSize, rest.length + more));
    this.#block.set(rest);
    this.#handedOn = 0;
    this.#filled = rest.length;
  }

  #handOn(): void {
    if (this.#filled === this.#handedOn) return;
    const body = this.#block.subarray(this.#handedOn, this.#filled);
    this.#handedOn = this.#filled;
    this.#handler.onBody(body);
  }
}

/** One text for a header, or a list where it came more than once. */
function headersOf(lines: readonly string[]): TransportResponse["headers"] {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const line of lines) {
    const [, name = "", value = ""] = headerLine.exec(line) ?? [];
    if (name === "") throw malformed();
    const key = name.toLowerCase();
    const known = headers[key];
    headers[key] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

/** -1 for what is none. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** A return, a line feed, a semicolon, a space or a tab. */
function isSizeEnd(byte: number): boolean {
  return byte === carriageReturn || byte === lineFeed || byte === 0x3b || byte === 0x20 || byte === 0x09;
}

function malformed(): MalformedAnswerError {
  return new MalformedAnswerError("the answer is not HTTP");
}

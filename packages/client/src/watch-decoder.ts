// A watch is a stream of JSON documents, one a line, cut into chunks anywhere: inside a document, inside a character.
// Only the tail of a chunk is ever kept, as bytes and unjoined, so that a large object costs one copy and not one per chunk.

const newline = 10;

/** Splits a byte stream into the lines of JSON in it. */
export class LineDecoder {
  readonly #limit: number;
  #pending: Uint8Array[] = [];
  #pendingLength = 0;

  /** A line longer than `limit` bytes is an error, not a way to fill the memory. */
  constructor(limit = 64 * 1024 * 1024) {
    this.#limit = limit;
  }

  /** The lines completed by this chunk. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      if (line !== "") lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** What is left when the stream ends: a last line without its newline, or the empty string. */
  end(): string {
    return this.#complete(new Uint8Array(0));
  }

  #keep(tail: Uint8Array): void {
    this.#pendingLength += tail.length;
    if (this.#pendingLength > this.#limit) throw new RangeError(`a line is longer than ${this.#limit} bytes`);
    this.#pending.push(tail);
  }

  #complete(tail: Uint8Array): string {
    if (this.#pendingLength === 0) return textOf(tail);
    const whole = Buffer.concat([...this.#pending, tail], this.#pendingLength + tail.length);
    this.#pending = [];
    this.#pendingLength = 0;
    return textOf(whole);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").trim();
}

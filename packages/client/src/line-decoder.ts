// Watches and logs are streams of lines, cut into chunks anywhere: inside a line, inside a character. Only the tail of a
// chunk is ever kept, as bytes and unjoined, so that a large line costs one copy and not one for each of its chunks.

const newline = 10;

/** Splits a byte stream into lines of UTF-8 text. */
export class LineDecoder {
  readonly #limit: number;
  #pending: Uint8Array[] = [];
  #pendingLength = 0;

  /** A line longer than `limit` bytes is an error, not a way to fill the memory. */
  constructor(limit = 64 * 1024 * 1024) {
    this.#limit = limit;
  }

  /** The lines completed by this chunk, without their ends. */
  push(chunk: Uint8Array): string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(newline);
    if (end === -1) {
      this.#keep(chunk);
      return [];
    }
    const start = this.#pendingLength === 0 ? 0 : bytes.indexOf(newline) + 1;
    const lines = start === 0 ? [] : [this.#complete(bytes.subarray(0, start - 1))];
    // A newline is never part of another character, so what lies between two of them can be decoded at once.
    if (start <= end) for (const line of bytes.toString("utf8", start, end).split("\n")) lines.push(line);
    if (end + 1 < bytes.length) this.#keep(chunk.subarray(end + 1));
    return lines;
  }

  /** What is left when the stream ends: a last line without its end, or the empty string. */
  end(): string {
    return this.#pendingLength === 0 ? "" : this.#complete(new Uint8Array(0));
  }

  #keep(tail: Uint8Array): void {
    this.#pendingLength += tail.length;
    if (this.#pendingLength > this.#limit) throw new RangeError(`a line is longer than ${this.#limit} bytes`);
    this.#pending.push(tail);
  }

  #complete(tail: Uint8Array): string {
    const whole = Buffer.concat([...this.#pending, tail], this.#pendingLength + tail.length);
    this.#pending = [];
    this.#pendingLength = 0;
    return whole.toString("utf8");
  }
}

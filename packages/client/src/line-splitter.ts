// Watches are streams of lines, cut into chunks anywhere. Lines are handed on as bytes, views of their chunk: only one that
// goes over several chunks is copied, once.

const newline = 10;
const nothing = new Uint8Array(0);

/** Splits a byte stream into lines. */
export class LineSplitter {
  readonly #limit: number;
  #pending: Uint8Array[] = [];
  #pendingLength = 0;

  /** A line longer than `limit` bytes is an error, not a way to fill the memory. */
  constructor(limit = 64 * 1024 * 1024) {
    this.#limit = limit;
  }

  /** The lines completed by this chunk, without their ends. */
  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = chunk.subarray(start, end);
      lines.push(this.#pendingLength === 0 ? line : this.#complete(line));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** The rest when the stream ends: a last line without its end, or nothing. */
  end(): Uint8Array {
    return this.#pendingLength === 0 ? nothing : this.#complete(nothing);
  }

  #keep(tail: Uint8Array): void {
    this.#pendingLength += tail.length;
    if (this.#pendingLength > this.#limit) throw new RangeError(`a line is longer than ${this.#limit} bytes`);
    this.#pending.push(tail);
  }

  #complete(tail: Uint8Array): Uint8Array {
    const whole = Buffer.concat([...this.#pending, tail], this.#pendingLength + tail.length);
    this.#pending = [];
    this.#pendingLength = 0;
    return whole;
  }
}

// Logs are streams of lines of text, cut into chunks anywhere: inside a line, inside a character.
import { textOf } from "./body.js";
import { LineSplitter } from "./line-splitter.js";

/** Splits a byte stream into lines of UTF-8 text. A newline is never part of another character, so lines are split first. */
export class LineDecoder {
  readonly #splitter: LineSplitter;

  /** A line longer than `limit` bytes is an error, not a way to fill the memory. */
  constructor(limit?: number) {
    this.#splitter = new LineSplitter(limit);
  }

  /** The lines completed by this chunk, without their ends. */
  push(chunk: Uint8Array): string[] {
    return this.#splitter.push(chunk).map(textOf);
  }

  /** The rest when the stream ends: a last line without its end, or the empty string. */
  end(): string {
    return textOf(this.#splitter.end());
  }
}

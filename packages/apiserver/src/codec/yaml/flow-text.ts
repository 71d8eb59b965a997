// What long scalars in quotes, or without any, say. Lines are folded: one break is a blank, more of them are one break less.
import type { Steps } from "@kubewright/api/steps";
import { code, isHexDigit } from "./lexer-characters.js";

/** Lines, escapes or thousands of characters that take less than a millisecond. */
const step = 1000;

const isBlank = (at: number): boolean => at === code.space || at === code.tab;

function trimmedEnd(text: string): string {
  let end = text.length;
  while (isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

function trimmedStart(text: string): string {
  let start = 0;
  while (isBlank(text.charCodeAt(start))) start++;
  return text.slice(start);
}

/** A scalar without escapes, its lines folded. */
export function* unfolded(source: string): Steps<string> {
  let from = source.indexOf("\n") + 1;
  if (from === 0) return source;
  let text = trimmedEnd(lineOf(source, 0, from));
  let separator = " ";
  for (let lines = 1; ; lines++) {
    if (lines % step === 0) yield;
    const next = source.indexOf("\n", from) + 1;
    if (next === 0) return text + separator + trimmedStart(source.slice(from));
    const line = trimmedStart(trimmedEnd(lineOf(source, from, next)));
    if (line !== "") {
      text += separator + line;
      separator = " ";
    } else if (separator === "\n") text += separator;
    else separator = "\n";
    from = next;
  }
}

/** Quotes that are replaced in less than a millisecond. */
const fewQuotes = 16 * 1024;

/** What stands between single quotes, where two of them are one. */
export function* singleQuotedText(source: string): Steps<string> {
  const text = yield* unfolded(source);
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + fewQuotes;
    // Two of them are not cut apart.
    let quotes = to;
    while (quotes > from && text.charCodeAt(quotes - 1) === code.singleQuote) quotes--;
    if ((to - quotes) % 2 === 1) to++;
    parts.push(text.slice(from, to).split("''").join("'"));
    from = to;
    yield;
  }
  return parts.join("");
}

/** Without its break. */
function lineOf(source: string, from: number, next: number): string {
  return source.slice(from, source.charCodeAt(next - 2) === code.return ? next - 2 : next - 1);
}

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  "\t": "\t",
};

const codeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** What stands between double quotes. */
export function doubleQuotedText(
  source: string,
  complain: (at: number, problem: string) => Error,
): Steps<string> {
  return new DoubleQuoted(source, complain).read();
}

class DoubleQuoted {
  readonly #source: string;
  readonly #complain: (at: number, problem: string) => Error;
  #at = 0;
  /** What was read and belongs together; long texts are made of parts, so that there is no chain of millions. */
  #part: string[] = [];

  constructor(source: string, complain: (at: number, problem: string) => Error) {
    this.#source = source;
    this.#complain = complain;
  }

  *read(): Steps<string> {
    const source = this.#source;
    const parts: string[] = [];
    let escaped = -1;
    let line = -1;
    for (;;) {
      if (escaped < this.#at) escaped = placeOf(source, "\\", this.#at);
      if (line < this.#at) line = placeOf(source, "\n", this.#at);
      const next = Math.min(escaped, line);
      this.#part.push(line < escaped ? this.#lineEnd(line) : source.slice(this.#at, next));
      if (next === source.length) return parts.join("") + this.#part.join("");
      this.#part.push(line < escaped ? this.#fold(line) : this.#escape(escaped));
      if (this.#part.length < step) continue;
      parts.push(this.#part.join(""));
      this.#part = [];
      yield;
    }
  }

  /** The rest of a line, without blanks at its end. */
  #lineEnd(line: number): string {
    return trimmedEnd(lineOf(this.#source, this.#at, line + 1));
  }

  #fold(line: number): string {
    let at = line + 1;
    let breaks = 0;
    for (; ; at++) {
      const next = this.#source.charCodeAt(at);
      if (next === code.newline) breaks++;
      else if (next === code.return) {
        if (this.#source.charCodeAt(at + 1) !== code.newline) break;
      } else if (!isBlank(next)) break;
    }
    this.#at = at;
    return breaks === 0 ? " " : "\n".repeat(breaks);
  }

  #escape(at: number): string {
    const letter = this.#source.charAt(at + 1);
    const length = codeLengths[letter];
    if (length !== undefined) return this.#character(at, length);
    const text = escapes[letter];
    if (text !== undefined) {
      this.#at = at + 2;
      return text;
    }
    const lineBreak = letter === "\r" && this.#source.charAt(at + 2) === "\n" ? 3 : 2;
    if (letter !== "\n" && lineBreak === 2) throw this.#invalid(at, 2);
    let next = at + lineBreak;
    while (isBlank(this.#source.charCodeAt(next))) next++;
    this.#at = next;
    return "";
  }

  #character(at: number, length: number): string {
    this.#at = at + 2 + length;
    for (let place = at + 2; place < this.#at; place++)
      if (!isHexDigit(this.#source.charCodeAt(place))) throw this.#invalid(at, 2 + length);
    const value = Number.parseInt(this.#source.slice(at + 2, this.#at), 16);
    if (value > 0x10ffff) throw this.#invalid(at, 2 + length);
    return String.fromCodePoint(value);
  }

  #invalid(at: number, length: number): Error {
    return this.#complain(at + 1, `Invalid escape sequence ${this.#source.slice(at, at + length)}`);
  }
}

/** Where something stands next, or the end. */
function placeOf(source: string, what: string, from: number): number {
  const at = source.indexOf(what, from);
  return at === -1 ? source.length : at;
}

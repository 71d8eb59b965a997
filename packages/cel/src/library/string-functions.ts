// The string functions. Positions count code points, not UTF-16 units or bytes.
import type { AnyList, Int } from "../guards.js";
import { CelFailure, noSuchOverload } from "../values/failure.js";
import { listValues } from "../values/list.js";
import type { Meter } from "../values/meter.js";
import { characterIndex, characters, codePointLength, unitIndex } from "./code-points.js";

const outOfRange = (index: Int): CelFailure => new CelFailure(`index out of range: ${index}`);

/** The character at a place; empty at the end. */
export function charAt(text: string, index: Int, meter: Meter): string {
  const all = characters(text, meter);
  const at = Number(index);
  if (at < 0 || at > all.length) throw outOfRange(index);
  return all.slice(at, at + 1);
}

/** The characters from one place to before another. */
export function substring(text: string, start: Int, end: Int | undefined, meter: Meter): string {
  const all = characters(text, meter);
  const [from, to] = [Number(start), Number(end ?? all.length)];
  if (end !== undefined && from > to) {
    throw new CelFailure(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (from < 0 || from > all.length) throw outOfRange(start);
  if (to < 0 || to > all.length) throw outOfRange(to);
  return all.slice(from, to);
}

/** The first index of a substring, from an index on; -1 where there is none. */
export function indexOf(text: string, part: string, offset: Int, meter: Meter): Int {
  if (part === "") return offset;
  const at = Number(offset);
  if (at < 0 || at >= Math.max(1, codePointLength(text, meter))) throw outOfRange(offset);
  return characterIndex(text, text.indexOf(part, unitIndex(text, at, meter)), meter);
}

/** The last index of a substring, up to an index; -1 where there is none. */
export function lastIndexOf(text: string, part: string, offset: Int | undefined, meter: Meter): Int {
  const length = codePointLength(text, meter);
  if (part === "") return offset ?? length;
  const at = Number(offset ?? length - 1);
  if (offset !== undefined && (at < 0 || at >= length)) throw outOfRange(offset);
  if (at < 0) return -1;
  return characterIndex(text, text.lastIndexOf(part, unitIndex(text, at, meter)), meter);
}

/** Pieces between the places where a separator stands, at most `limit` of them when it is not negative. */
export function split(text: string, separator: string, limit: Int, meter: Meter): string[] {
  meter.walk(text);
  const most = Number(limit);
  if (most === 0) return [];
  const pieces = separator === "" ? [...text] : text.split(separator);
  meter.work(pieces.length);
  if (most < 0 || pieces.length <= most) return pieces;
  return [...pieces.slice(0, most - 1), pieces.slice(most - 1).join(separator)];
}

/** Nothing may grow beyond what fits into memory many times over. */
function checkLength(length: number, meter: Meter): void {
  meter.work(length / 8);
}

/** The text with a part replaced, at most so many times when the limit is not negative. */
export function replace(text: string, old: string, by: string, limit: Int, meter: Meter): string {
  const most = Number(limit);
  if (most === 0 || old === by) return text;
  if (old === "") return interleave(text, by, most, meter);
  const pieces = split(text, old, most < 0 ? -1 : most + 1, meter);
  checkLength(text.length + (pieces.length - 1) * Math.max(0, by.length - old.length), meter);
  return pieces.join(by);
}

/** An empty text occurs before every character and at the end. */
function interleave(text: string, by: string, most: number, meter: Meter): string {
  const all = [...text];
  const count = most < 0 ? all.length + 1 : Math.min(most, all.length + 1);
  checkLength(text.length + count * by.length, meter);
  const parts = all.slice(0, count).map((character) => by + character);
  return parts.join("") + (count > all.length ? by : all.slice(count).join(""));
}

const space = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;
const isSpace = (character: string | undefined): boolean => character !== undefined && space.test(character);

/** The text without white space around it, as Unicode defines it. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/** The texts of a list in a row. */
export function join(list: AnyList, separator: string, meter: Meter): string {
  const texts = listValues(list, meter).map((item) => {
    if (typeof item !== "string") throw noSuchOverload();
    return item;
  });
  checkLength(
    texts.reduce((total, text) => total + text.length + separator.length, 0),
    meter,
  );
  return texts.join(separator);
}

const quoteEscapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** The text as a literal. */
export function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
  const escaped = text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => quoteEscapes[character] ?? character);
  return `"${escaped.replace(/\p{Surrogate}/gu, "\ufffd")}"`;
}

// The string functions Kubernetes has beyond standard CEL. Positions count characters, not bytes.
import { add, type CallSite, price, type Range, scale } from "../cost.js";
import {
  type Costs,
  declare,
  globalOverload,
  type Invoke,
  type Library,
  memberOverload,
} from "../declarations.js";
import { type AnyList, type Int, isInt, isList, isString, mismatch, on1, on2, on3 } from "../guards.js";
import { dynType, intType, listType, stringType } from "../types.js";
import { CelFailure, noSuchOverload } from "../values/failure.js";
import { listValues } from "../values/list.js";
import type { Meter } from "../values/meter.js";
import { characterIndex, characters, codePointLength, unitIndex } from "./code-points.js";
import { formatString } from "./format-string.js";
import { argSize, subjectSize, transformsSubject, traversal, visitsSubject } from "./prices.js";
import { joinEstimate, replaceEstimate, splitEstimate } from "./string-estimates.js";

const outOfRange = (index: Int): CelFailure => new CelFailure(`index out of range: ${index}`);

function charAt(text: string, index: Int, meter: Meter): string {
  const all = characters(text, meter);
  const at = Number(index);
  if (at < 0 || at > all.length) throw outOfRange(index);
  return all.slice(at, at + 1);
}

function substring(text: string, start: Int, end: Int | undefined, meter: Meter): string {
  const all = characters(text, meter);
  const [from, to] = [Number(start), Number(end ?? all.length)];
  if (end !== undefined && from > to) {
    throw new CelFailure(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (from < 0 || from > all.length) throw outOfRange(start);
  if (to < 0 || to > all.length) throw outOfRange(to);
  return all.slice(from, to);
}

function indexOf(text: string, part: string, offset: Int, meter: Meter): Int {
  if (part === "") return offset;
  const at = Number(offset);
  if (at < 0 || at >= Math.max(1, codePointLength(text, meter))) throw outOfRange(offset);
  return characterIndex(text, text.indexOf(part, unitIndex(text, at, meter)), meter);
}

function lastIndexOf(text: string, part: string, offset: Int | undefined, meter: Meter): Int {
  const length = codePointLength(text, meter);
  if (part === "") return offset ?? length;
  const at = Number(offset ?? length - 1);
  if (offset !== undefined && (at < 0 || at >= length)) throw outOfRange(offset);
  if (at < 0) return -1;
  return characterIndex(text, text.lastIndexOf(part, unitIndex(text, at, meter)), meter);
}

/** Pieces between the places where a separator stands, at most `limit` of them when it is not negative. */
function split(text: string, separator: string, limit: Int, meter: Meter): string[] {
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

function replace(text: string, old: string, by: string, limit: Int, meter: Meter): string {
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

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start += 1;
  while (end > start && isSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function join(list: AnyList, separator: string, meter: Meter): string {
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

function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
  const escaped = text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => quoteEscapes[character] ?? character);
  return `"${escaped.replace(/\p{Surrogate}/gu, "\ufffd")}"`;
}

const twice: Costs = {
  cost: ([text]) => traversal(text, 2),
};

const quoting: Costs = {
  cost: ([text]) => traversal(text),
  estimate(call: CallSite) {
    const size = argSize(call, 0);
    const resultSize: Range = add(scale(size, 1), { min: 2, max: size.max + 2 });
    return { cost: scale(size, price.traversal), resultSize };
  },
};

const formatting: Costs = {
  cost: ([text]) => traversal(text),
  estimate: (call) => ({ cost: scale(subjectSize(call), price.traversal) }),
};

const replaceLimited: Invoke = ([text, old, by, limit], meter) =>
  isString(text) && isString(old) && isString(by) && isInt(limit)
    ? replace(text, old, by, limit, meter)
    : mismatch;

const texts = listType(stringType);
const ascii = (change: (text: string) => string, letters: RegExp): Invoke =>
  on1(isString, (text) => text.replace(letters, change));

/** `charAt`, `indexOf`, `replace`, `split`, `format` and the rest. */
export const stringLibrary: Library = {
  functions: [
    declare(
      "charAt",
      memberOverload("string_char_at_int", [stringType, intType], stringType, on2(isString, isInt, charAt)),
    ),
    declare(
      "indexOf",
      memberOverload(
        "string_index_of_string",
        [stringType, stringType],
        intType,
        on2(isString, isString, (a, b, meter) => indexOf(a, b, 0, meter)),
        visitsSubject,
      ),
      memberOverload(
        "string_index_of_string_int",
        [stringType, stringType, intType],
        intType,
        on3(isString, isString, isInt, indexOf),
        visitsSubject,
      ),
    ),
    declare(
      "lastIndexOf",
      memberOverload(
        "string_last_index_of_string",
        [stringType, stringType],
        intType,
        on2(isString, isString, (a, b, meter) => lastIndexOf(a, b, undefined, meter)),
        visitsSubject,
      ),
      memberOverload(
        "string_last_index_of_string_int",
        [stringType, stringType, intType],
        intType,
        on3(isString, isString, isInt, lastIndexOf),
        visitsSubject,
      ),
    ),
    declare(
      "lowerAscii",
      memberOverload(
        "string_lower_ascii",
        [stringType],
        stringType,
        ascii((text) => text.toLowerCase(), /[A-Z]+/g),
        transformsSubject,
      ),
    ),
    declare(
      "upperAscii",
      memberOverload(
        "string_upper_ascii",
        [stringType],
        stringType,
        ascii((text) => text.toUpperCase(), /[a-z]+/g),
        transformsSubject,
      ),
    ),
    declare(
      "replace",
      memberOverload(
        "string_replace_string_string",
        [stringType, stringType, stringType],
        stringType,
        on3(isString, isString, isString, (text, old, by, meter) => replace(text, old, by, -1, meter)),
        { ...twice, estimate: replaceEstimate },
      ),
      memberOverload(
        "string_replace_string_string_int",
        [stringType, stringType, stringType, intType],
        stringType,
        replaceLimited,
        { ...twice, estimate: replaceEstimate },
      ),
    ),
    declare(
      "split",
      memberOverload(
        "string_split_string",
        [stringType, stringType],
        texts,
        on2(isString, isString, (a, b, meter) => split(a, b, -1, meter)),
        { ...twice, estimate: splitEstimate },
      ),
      memberOverload(
        "string_split_string_int",
        [stringType, stringType, intType],
        texts,
        on3(isString, isString, isInt, split),
        { ...twice, estimate: splitEstimate },
      ),
    ),
    declare(
      "substring",
      memberOverload(
        "string_substring_int",
        [stringType, intType],
        stringType,
        on2(isString, isInt, (text, start, meter) => substring(text, start, undefined, meter)),
        transformsSubject,
      ),
      memberOverload(
        "string_substring_int_int",
        [stringType, intType, intType],
        stringType,
        on3(isString, isInt, isInt, substring),
        transformsSubject,
      ),
    ),
    declare(
      "trim",
      memberOverload("string_trim", [stringType], stringType, on1(isString, trim), transformsSubject),
    ),
    declare(
      "join",
      memberOverload(
        "list_join",
        [texts],
        stringType,
        on1(isList, (list, meter) => join(list, "", meter)),
        { cost: (_args, result) => traversal(result, 2), estimate: joinEstimate },
      ),
      memberOverload("list_join_string", [texts, stringType], stringType, on2(isList, isString, join), {
        cost: (_args, result) => traversal(result, 2),
        estimate: joinEstimate,
      }),
    ),
    declare(
      "format",
      memberOverload(
        "string_format",
        [stringType, listType(dynType)],
        stringType,
        on2(isString, isList, formatString),
        formatting,
      ),
    ),
    declare(
      "strings.quote",
      globalOverload("strings_quote", [stringType], stringType, on1(isString, quote), quoting),
    ),
  ],
};

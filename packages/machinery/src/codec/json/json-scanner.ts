// Our own JSON parser, for the few bodies of which JSON.parse would lose something: keys that stand twice, the text of numbers, and
// what exactly is wrong with a broken body.
import { setOwn } from "@kubewright/api";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import { exactInteger } from "./exact-integer.js";
import { maxDepth } from "./json-inspection.js";
import { JsonSyntaxError, unexpectedByte } from "./json-syntax-error.js";
import { LiteralStore, type NumberLiterals } from "./number-literals.js";

export interface ScannedJson {
  readonly value: MutableJson;
  /** Paths of keys that stood twice, at most a hundred, as kube-apiserver reports them. */
  readonly duplicateFields: readonly string[];
  readonly literals: NumberLiterals | undefined;
}

/** kube-apiserver stops counting here. */
const maxReported = 100;
/** Characters of all paths, about: a long key may be part of each of them. */
const maxReportedText = 64 * 1024;
/** One key may stand a hundred thousand times; writing its path as often takes too long. */
const maxRepetitions = 1000;

/** The characters that may follow a backslash. */
const escapes = Buffer.from('"\\/bfnrtu');
const isHexDigit = (byte = 0): boolean =>
  (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/** Parses a whole JSON text. Throws JsonSyntaxError. */
export function scanJson(bytes: Uint8Array): ScannedJson {
  return new JsonScanner(bytes).document();
}

class JsonScanner {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #path: (string | number)[] = [];
  readonly #duplicates = new Set<string>();
  #repetitions = 0;
  /** Characters of the paths reported. */
  #reported = 0;
  readonly #literals = new LiteralStore();

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  document(): ScannedJson {
    // Holds the top-level value, so that a bare number has a container for its literal too.
    const root: MutableJson[] = [];
    const value = this.#opens() ? this.#container() : this.#scalar(root, 0);
    this.#space();
    if (this.#at < this.#bytes.length) throw this.#unexpected("after top-level value");
    const literals = this.#literals.ifAny;
    return { value, duplicateFields: [...this.#duplicates], literals };
  }

  /** Whether the next value is a container. */
  #opens(): boolean {
    this.#space();
    const byte = this.#bytes[this.#at];
    return byte === 0x7b || byte === 0x5b;
  }

  #container(): MutableObject | MutableJson[] {
    return this.#bytes[this.#at] === 0x7b ? this.#object() : this.#array();
  }

  #scalar(holder: object, key: string | number): MutableJson {
    const byte = this.#bytes[this.#at];
    switch (byte) {
      case 0x22:
        return this.#string();
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      default:
        if (byte !== undefined && (byte === 0x2d || (byte >= 0x30 && byte <= 0x39))) {
          return this.#number(holder, key);
        }
        throw this.#unexpected("looking for beginning of value");
    }
  }

  #object(): MutableObject {
    this.#enter();
    const object: MutableObject = {};
    this.#space();
    if (this.#bytes[this.#at] === 0x7d) {
      this.#at++;
      return object;
    }
    for (;;) {
      this.#space();
      if (this.#bytes[this.#at] !== 0x22)
        throw this.#unexpected("looking for beginning of object key string");
      const key = this.#string();
      this.#path.push(key);
      if (Object.hasOwn(object, key)) this.#duplicate(object, key);
      this.#space();
      if (this.#bytes[this.#at] !== 0x3a) throw this.#unexpected("after object key");
      this.#at++;
      setOwn(object, key, this.#opens() ? this.#container() : this.#scalar(object, key));
      this.#path.pop();
      if (this.#endsWith(0x7d, "after object key:value pair")) return object;
    }
  }

  #array(): MutableJson[] {
    this.#enter();
    const array: MutableJson[] = [];
    this.#space();
    if (this.#bytes[this.#at] === 0x5d) {
      this.#at++;
      return array;
    }
    for (;;) {
      this.#path.push(array.length);
      array.push(this.#opens() ? this.#container() : this.#scalar(array, array.length));
      this.#path.pop();
      if (this.#endsWith(0x5d, "after array element")) return array;
    }
  }

  #enter(): void {
    if (this.#path.length >= maxDepth) throw this.#unexpected("exceeded max depth");
    this.#at++;
  }

  /** Consumes a comma (false) or the closing byte (true). */
  #endsWith(close: number, where: string): boolean {
    this.#space();
    const byte = this.#bytes[this.#at];
    if (byte !== close && byte !== 0x2c) throw this.#unexpected(where);
    this.#at++;
    return byte === close;
  }

  #string(): string {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    let escaped = false;
    let surrogate = false;
    for (;;) {
      const byte = bytes[at];
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        escaped = true;
        if (bytes[at + 1] === 0x75 && ((bytes[at + 2] ?? 0) | 0x20) === 0x64) surrogate = true;
        at += 2;
      } else if (byte === undefined || byte < 0x20) throw this.#brokenString(start);
      else at++;
    }
    let text = escaped ? this.#unescaped(start, at) : bytes.toString("utf8", start, at);
    // Half a pair cannot be written as UTF-8, and comes back replaced.
    if (surrogate) text = Buffer.from(text).toString("utf8");
    this.#at = at + 1;
    return text;
  }

  /** JSON.parse knows all escapes, and is fast where there are a great many. */
  #unescaped(start: number, end: number): string {
    try {
      return JSON.parse(this.#bytes.toString("utf8", start - 1, end + 1));
    } catch {
      throw this.#brokenString(start);
    }
  }

  /** The syntax error of a string that begins at `start`. */
  #brokenString(start: number): JsonSyntaxError {
    const bytes = this.#bytes;
    for (let at = start; ; at++) {
      const byte = bytes[at];
      if (byte === undefined) return unexpectedByte(undefined, "");
      if (byte < 0x20) return unexpectedByte(byte, "in string literal");
      if (byte !== 0x5c) continue;
      const error = this.#brokenEscape(at);
      if (error) return error;
      at++;
    }
  }

  /** The syntax error of an escape, if any. */
  #brokenEscape(at: number): JsonSyntaxError | undefined {
    const letter = this.#bytes[at + 1];
    if (letter === undefined || !escapes.includes(letter))
      return unexpectedByte(letter, "in string escape code");
    for (let digit = at + 2; letter === 0x75 && digit < at + 6; digit++)
      if (!isHexDigit(this.#bytes[digit]))
        return unexpectedByte(this.#bytes[digit], "in \\u hexadecimal character escape");
    return undefined;
  }

  #number(holder: object, key: string | number): number | bigint {
    const start = this.#at;
    if (this.#bytes[this.#at] === 0x2d) this.#at++;
    if (this.#bytes[this.#at] === 0x30) this.#at++;
    else this.#digits("in numeric literal");
    let isInteger = true;
    if (this.#bytes[this.#at] === 0x2e) {
      isInteger = false;
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (((this.#bytes[this.#at] ?? 0) | 0x20) === 0x65) {
      isInteger = false;
      const sign = this.#bytes[++this.#at];
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    const literal = this.#bytes.toString("latin1", start, this.#at);
    const value = Number(literal);
    if (!Number.isFinite(value)) {
      throw new JsonSyntaxError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
    }
    const exact = isInteger ? exactInteger(literal) : undefined;
    if (exact !== undefined) return exact;
    this.#literals.keep(holder, key, literal);
    return value === 0 ? 0 : value;
  }

  #digits(where: string): void {
    const start = this.#at;
    for (;;) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte < 0x30 || byte > 0x39) break;
      this.#at++;
    }
    if (this.#at === start) throw this.#unexpected(where);
  }

  #word<T extends boolean | null>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      this.#at++;
      if (this.#bytes[this.#at] !== word.charCodeAt(i)) {
        throw this.#unexpected(`in literal ${word} (expecting '${word[i]}')`);
      }
    }
    this.#at++;
    return value;
  }

  #duplicate(object: MutableObject, key: string): void {
    this.#literals.forget(object, key);
    if (++this.#repetitions > maxRepetitions || this.#duplicates.size >= maxReported) return;
    if (this.#reported > maxReportedText) return;
    for (const part of this.#path) this.#reported += String(part).length;
    this.#duplicates.add(formatPath(this.#path));
  }

  #space(): void {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }

  #unexpected(where: string): JsonSyntaxError {
    return unexpectedByte(this.#bytes[this.#at], where);
  }
}

/** `spec.ports[0].port`, from keys and indexes. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

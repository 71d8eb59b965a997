// A JSON parser for the bodies JSON.parse would lose something of: it reports keys that stand twice, keeps the text of
// unusual numbers, and words its errors as Go does. Slower, and rarely needed.
import { finish, type Steps } from "../../steps.js";
import { perValue } from "../../storage/freeze-sized.js";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import { maxDepth } from "./json-inspection.js";
import { JsonSyntaxError, unexpectedByte } from "./json-syntax-error.js";
import { isIntegerLiteral } from "./number-literals.js";

export interface ScannedJson {
  readonly value: MutableJson;
  /** Paths of keys that stood twice, at most a hundred, as the real server reports them. */
  readonly duplicateFields: readonly string[];
  readonly literals: ReadonlyMap<object, ReadonlyMap<string | number, string>> | undefined;
  /**
   * What `sizeOfJson` makes of the value, or a little less, where it was added up on the way: listing the keys of an object takes long
   * where there are a great many, and cannot be paused.
   */
  readonly size?: number | undefined;
}

/** The real server stops counting here. */
const maxReported = 100;
/** One key may stand a hundred thousand times; writing its path as often takes too long. */
const maxRepetitions = 1000;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const loneSurrogates = /\p{Surrogate}/gu;

/** Parses a whole JSON text. Throws JsonSyntaxError. */
export function scanJson(bytes: Uint8Array): ScannedJson {
  return finish(scanningSteps(bytes));
}

/** The same step by step, so that whoever runs it can pause in between. */
export function scanningSteps(bytes: Uint8Array): Steps<ScannedJson> {
  return new JsonScanner(bytes).document();
}

/** So many values take less than a millisecond. */
const step = 1000;

/** Sets a key as data, whatever its name. */
export function setOwn(object: MutableObject, key: string, value: MutableJson): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

class JsonScanner {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #path: (string | number)[] = [];
  readonly #duplicates = new Set<string>();
  #repetitions = 0;
  #values = 0;
  #text = 0;
  readonly #literals = new Map<object, Map<string | number, string>>();

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  *document(): Steps<ScannedJson> {
    // Holds the top-level value, so that a bare number has a container for its literal too.
    const root: MutableJson[] = [];
    const value = this.#opens() ? yield* this.#container() : this.#scalar(root, 0);
    this.#space();
    if (this.#at < this.#bytes.length) throw this.#unexpected("after top-level value");
    const literals = this.#literals.size === 0 ? undefined : this.#literals;
    // What stood under a key before is no part of the value.
    const size = this.#repetitions > 0 ? undefined : this.#text + this.#values * perValue;
    return { value, duplicateFields: [...this.#duplicates], literals, size };
  }

  /** Whether the next value is a container. */
  #opens(): boolean {
    this.#space();
    const byte = this.#bytes[this.#at];
    return byte === 0x7b || byte === 0x5b;
  }

  #container(): Steps<MutableObject | MutableJson[]> {
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

  *#object(): Steps<MutableObject> {
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
      if (Object.hasOwn(object, key)) this.#duplicate();
      this.#space();
      if (this.#bytes[this.#at] !== 0x3a) throw this.#unexpected("after object key");
      this.#at++;
      if (++this.#values % step === 0) yield;
      setOwn(object, key, this.#opens() ? yield* this.#container() : this.#scalar(object, key));
      this.#path.pop();
      if (this.#endsWith(0x7d, "after object key:value pair")) return object;
    }
  }

  *#array(): Steps<MutableJson[]> {
    this.#enter();
    const array: MutableJson[] = [];
    this.#space();
    if (this.#bytes[this.#at] === 0x5d) {
      this.#at++;
      return array;
    }
    for (;;) {
      this.#path.push(array.length);
      if (++this.#values % step === 0) yield;
      array.push(this.#opens() ? yield* this.#container() : this.#scalar(array, array.length));
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
    const start = ++this.#at;
    let text = "";
    let from = start;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw unexpectedByte(undefined, "");
      if (byte < 0x20) throw this.#unexpected("in string literal");
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        text += this.#bytes.toString("utf8", from, this.#at) + this.#escape();
        from = this.#at;
      } else this.#at++;
    }
    text += this.#bytes.toString("utf8", from, this.#at);
    this.#at++;
    this.#text += text.length;
    // Only an escape can have made half a pair.
    return from === start ? text : text.replace(loneSurrogates, "\ufffd");
  }

  #escape(): string {
    const letter = this.#bytes[++this.#at];
    if (letter === 0x75) {
      const start = ++this.#at;
      while (this.#at < start + 4) {
        const digit = String.fromCharCode(this.#bytes[this.#at] ?? 0);
        if (!/[0-9a-fA-F]/.test(digit)) throw this.#unexpected("in \\u hexadecimal character escape");
        this.#at++;
      }
      return String.fromCharCode(Number.parseInt(this.#bytes.toString("latin1", start, this.#at), 16));
    }
    const escaped = letter === undefined ? undefined : escapes[String.fromCharCode(letter)];
    if (escaped === undefined) throw this.#unexpected("in string escape code");
    this.#at++;
    return escaped;
  }

  #number(holder: object, key: string | number): number {
    const start = this.#at;
    if (this.#bytes[this.#at] === 0x2d) this.#at++;
    if (this.#bytes[this.#at] === 0x30) this.#at++;
    else this.#digits("in numeric literal");
    if (this.#bytes[this.#at] === 0x2e) {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (((this.#bytes[this.#at] ?? 0) | 0x20) === 0x65) {
      const sign = this.#bytes[++this.#at];
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    const literal = this.#bytes.toString("latin1", start, this.#at);
    const value = Number(literal);
    if (!Number.isFinite(value)) {
      throw new JsonSyntaxError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
    }
    if (!isIntegerLiteral(literal) || !Number.isSafeInteger(value)) this.#keepLiteral(holder, key, literal);
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

  #keepLiteral(holder: object, key: string | number, literal: string): void {
    const known = this.#literals.get(holder);
    if (known) known.set(key, literal);
    else this.#literals.set(holder, new Map([[key, literal]]));
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

  #duplicate(): void {
    if (++this.#repetitions > maxRepetitions || this.#duplicates.size >= maxReported) return;
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

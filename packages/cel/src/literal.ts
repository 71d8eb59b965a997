// Turns the text of a literal token into its value: escapes of strings and bytes, ranges of integers.
import { fromBigInt, inUint64, uint } from "./values/int.js";

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
  "`": 96,
  "?": 63,
};

interface Quoted {
  readonly body: string;
  readonly raw: boolean;
}

function unquote(text: string): Quoted {
  const start = text.search(/["']/);
  const raw = text.slice(0, start).toLowerCase().includes("r");
  const quote = text.slice(start, start + 3);
  const width = quote === '"""' || quote === "'''" ? 3 : 1;
  const body = text.slice(start + width, text.length - width);
  return { body: width === 3 ? body.replaceAll("\r\n", "\n") : body, raw };
}

/** Hex digits that follow `\x`, `\u` and `\U`. */
const hexWidth: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

interface Escape {
  readonly code: number;
  readonly length: number;
  /** The number stands for a byte when read as bytes, for a code point when read as a string. */
  readonly byte: boolean;
}

function readEscape(body: string, at: number): Escape | undefined {
  const mark = body[at + 1] ?? "";
  const simple = Object.hasOwn(simpleEscapes, mark) ? simpleEscapes[mark] : undefined;
  if (simple !== undefined) return { code: simple, length: 2, byte: false };
  const width = Object.hasOwn(hexWidth, mark) ? hexWidth[mark] : undefined;
  const digits = width === undefined ? body.slice(at + 1, at + 4) : body.slice(at + 2, at + 2 + width);
  if (width !== undefined) {
    if (digits.length !== width || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
    return { code: Number.parseInt(digits, 16), length: 2 + width, byte: width === 2 };
  }
  if (!/^[0-3][0-7]{2}$/.test(digits)) return undefined;
  return { code: Number.parseInt(digits, 8), length: 4, byte: true };
}

function isScalar(code: number): boolean {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}

/** The value of a string token, or undefined when an escape is wrong. */
export function parseString(text: string): string | undefined {
  const { body, raw } = unquote(text);
  if (raw || !body.includes("\\")) return body;
  let result = "";
  for (let at = 0; at < body.length; ) {
    if (body[at] !== "\\") {
      result += body[at];
      at += 1;
      continue;
    }
    const sequence = readEscape(body, at);
    if (sequence === undefined || !isScalar(sequence.code)) return undefined;
    result += String.fromCodePoint(sequence.code);
    at += sequence.length;
  }
  return result;
}

/** The value of a bytes token, or undefined when an escape is wrong. */
export function parseBytes(text: string): Uint8Array | undefined {
  const { body, raw } = unquote(text);
  const encoder = new TextEncoder();
  if (raw || !body.includes("\\")) return encoder.encode(body);
  const result: number[] = [];
  for (let at = 0; at < body.length; ) {
    if (body[at] !== "\\") {
      const character = String.fromCodePoint(body.codePointAt(at) ?? 0);
      result.push(...encoder.encode(character));
      at += character.length;
      continue;
    }
    const sequence = readEscape(body, at);
    // Code points have no place in a sequence of bytes.
    if (sequence === undefined || /[uU]/.test(body[at + 1] ?? "")) return undefined;
    result.push(sequence.code);
    at += sequence.length;
  }
  return Uint8Array.from(result);
}

/** The value of an int token with its sign, or undefined when it does not fit into 64 bits. */
export function parseInt64(text: string, negative: boolean): number | bigint | undefined {
  const magnitude = BigInt(text);
  return fromBigInt(negative ? -magnitude : magnitude);
}

/** The value of a uint token, or undefined when it does not fit into 64 bits. */
export function parseUint64(text: string): unknown {
  const value = BigInt(text.slice(0, -1));
  return inUint64(value) ? uint(value) : undefined;
}

// Texts as Go prints them. Kubernetes' messages are full of quoted values, and clients compare them.
import { stringifyJson } from "./json.js";

const plain = /^[ !#-[\]-~]*$/;
const notPlain = /[^ !#-[\]-~]/gu;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const controls = [...Array(0x20).keys(), 0x7f];
const escapes: ReadonlyMap<string, string> = new Map([
  ...controls.map((code) => [String.fromCharCode(code), `\\x${hex(code, 2)}`] as const),
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

/** Quotes a string as `%q` does. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  // Most of a long text is plain, and building it a character at a time would take long.
  return `"${text.replace(notPlain, (character) => escapes.get(character) ?? quoteCharacter(character))}"`;
}

function quoteCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (printable.test(character)) return character;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

/** Quotes a string as Go's `time` package does in its errors: whatever is not printable ASCII byte by byte. */
export function goByteQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${hex(byte, 2)}`;
    else quoted += character === '"' || character === "\\" ? `\\${character}` : character;
  }
  return `${quoted}"`;
}

/** Encodes a value as Go's `json.Marshal` does: as JSON, with what HTML would trip over escaped. */
export function goJson(value: unknown): string {
  const json = stringifyJson(value);
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
}

/** A float as `%v` prints it: the shortest digits, with an exponent below 1e-4 and from 1e6 on (`0.5`, `123456.5`, `1e+06`). */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

const int64Limit = 2 ** 63;

/** Whether Go decodes a number of JSON as an integer. */
export const isInt64 = (value: number | bigint): boolean =>
  (typeof value === "bigint" || Number.isInteger(value)) && value >= -int64Limit && value < int64Limit;

/** The type of a JSON value, as `%T` prints it. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint") return isInt64(value) ? "int64" : "float64";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

/** The length in UTF-8, which is what Go counts. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    // A surrogate pair is two units and four bytes; everything else beyond ASCII is one unit and two or three.
    length += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return length;
}

/** Joins several errors in one line as Go's aggregate does: each once, in brackets when there are several. */
export function aggregateErrors(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? String(distinct[0]) : `[${distinct.join(", ")}]`;
}

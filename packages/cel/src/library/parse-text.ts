// Parsers of values, with cel-go's message for texts that cannot be parsed.
import { CelFailure } from "../values/failure.js";
import { Double, fromBigInt, type Int, inUint64, Uint } from "../values/int.js";
import { parseDouble } from "./number-text.js";

/** The failure of a text that is none of the type. */
export const cannotConvert = (type: string): CelFailure =>
  new CelFailure(`type conversion error from 'string' to '${type}'`);

function parseInteger(text: string): bigint | undefined {
  // Leading zeros are allowed and mean nothing; beyond them nothing longer fits.
  const match = text.length > 1000 ? null : /^([+-]?)0*(\d+)$/.exec(text);
  if (match === null) return undefined;
  const magnitude = BigInt((match[2] ?? "0").slice(0, 30));
  return match[1] === "-" ? -magnitude : magnitude;
}

/** `int("1")`. */
export function intFromText(text: string): Int {
  const value = parseInteger(text);
  const int = value === undefined ? undefined : fromBigInt(value);
  if (int === undefined) throw cannotConvert("int");
  return int;
}

/** `uint("1")`. */
export function uintFromText(text: string): Uint {
  const value = /^\d/.test(text) ? parseInteger(text) : undefined;
  if (value === undefined || !inUint64(value)) throw cannotConvert("uint");
  return new Uint(value);
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/** `bool("true")`. */
export function boolFromText(text: string): boolean {
  const value = booleans.get(text);
  if (value === undefined) throw cannotConvert("bool");
  return value;
}

/** `string(b"a")`; fails for what is not UTF-8. */
export function textFromBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelFailure("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** `double("1.5")`. */
export function doubleFromText(text: string): Double {
  const value = parseDouble(text);
  if (value === undefined) throw cannotConvert("double");
  return new Double(value);
}

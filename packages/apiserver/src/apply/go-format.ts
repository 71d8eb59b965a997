// Messages of the real server print values the way Go's fmt package does. Clients match on some of them, so these
// texts are kept, not imitated roughly.
import { Pace, sortingSteps } from "@kubewright/api/steps";
import { LongValues } from "../codec/count-values.js";
import { isMap } from "./json-value.js";

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** A quoted string, as `%q` prints it. */
export function goQuote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
  const escaped = text.replace(/["\\\u0000-\u001f\u007f]/g, (character) => {
    return escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `"${escaped}"`;
}

/** A value, as `%v` prints it: `map[image:a:1 name:a]`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isMap(value)) return String(value);
  const entries = sortedKeys(value).map((key) => `${key}:${goValue(value[key])}`);
  return `map[${entries.join(" ")}]`;
}

/** Members that are printed in less than a millisecond. */
const fewMembers = 500;

/** The same, step by step where it is long. */
export function goValueSteps(value: unknown, known = new LongValues(fewMembers)): string {
  if (!known.isLong(value)) return goValue(value);

  const parts: string[] = [];
  const pace = new Pace(fewMembers);
  if (isMap(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    for (const key of sortingSteps(keys, compareText)) {
      parts.push(`${key}:${goValueSteps(value[key], known)}`);
    }
    return `map[${parts.join(" ")}]`;
  }
  for (const item of value as readonly unknown[]) {
    parts.push(goValueSteps(item, known));
  }
  return `[${parts.join(" ")}]`;
}

/** A value in Go syntax, as `%#v` prints it. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isMap(value)) return String(value);
  const entries = sortedKeys(value).map((key) => `${goQuote(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${entries.join(", ")}}`;
}

/** The type of a value, as `%T` prints it. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

function sortedKeys(map: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(map)
    .filter((key) => map[key] !== undefined)
    .sort(compareText);
}

/** Orders strings by their UTF-8 bytes, as Go does; JavaScript differs beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters that come after every other code unit. */
const byteRank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

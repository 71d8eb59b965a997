// Messages of kube-apiserver print values the way Go's fmt package does. Clients match on some of them, so these
// texts are kept, not imitated roughly.
import { goQuote, isObject } from "@kubewright/api";

/** A value, as `%v` prints it: `map[image:a:1 name:a]`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const entries = sortedKeys(value).map((key) => `${key}:${goValue(value[key])}`);
  return `map[${entries.join(" ")}]`;
}

/** A value in Go syntax, as `%#v` prints it. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isObject(value)) return String(value);
  const entries = sortedKeys(value).map((key) => `${goQuote(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${entries.join(", ")}}`;
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

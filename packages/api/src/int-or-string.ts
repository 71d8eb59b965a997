// Numbers that may be percentages (`maxUnavailable: 25%`), with Kubernetes' rounding.
import type { IntOrString } from "./generated/meta-v1.js";
import { goQuote } from "./go-text.js";

/**
 * The number itself, or the percentage of `total`, rounded in the given direction. Throws a SyntaxError when a string is no
 * whole percentage.
 *
 * @example
 * scaleIntOrPercent("25%", 10, "up"); // 3
 */
export function scaleIntOrPercent(value: IntOrString, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  const share = (percentOf(value) * total) / 100;
  return rounding === "up" ? Math.ceil(share) : Math.floor(share);
}

function percentOf(text: string): number {
  if (!text.endsWith("%")) throw problem("invalid type: string is not a percentage");
  const digits = text.slice(0, -1);
  const what = /^[-+]?[0-9]+$/.test(digits) ? "value out of range" : "invalid syntax";
  const percent = Number(digits);
  if (what === "invalid syntax" || !Number.isSafeInteger(percent)) {
    throw problem(`invalid value ${goQuote(text)}: strconv.Atoi: parsing ${goQuote(digits)}: ${what}`);
  }
  return percent;
}

function problem(text: string): SyntaxError {
  return new SyntaxError(`invalid value for IntOrString: ${text}`);
}

/** Text from a flag or an annotation: a number where it is a 32-bit integer, and the text otherwise. */
export function parseIntOrString(text: string): IntOrString {
  const number = /^[-+]?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return number >= -2_147_483_648 && number <= 2_147_483_647 ? number : text;
}

// Durations as Go prints and parses them ("1h30m", "250ms"), which is how Kubernetes writes them in objects and flags.
// They are exact: a bigint of nanoseconds, within an int64.
import { goByteQuote } from "./go-text.js";

const maxDuration = 2n ** 63n;
const second = 1_000_000_000n;
const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", second],
  ["m", 60n * second],
  ["h", 3600n * second],
]);

/**
 * Nanoseconds; throws a SyntaxError with Go's message when the text is no duration.
 *
 * @example
 * parseDuration("1.5h"); // 5400000000000n
 */
export function parseDuration(text: string): bigint {
  const signed = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  if (text.slice(signed) === "0") return 0n;
  if (text.length === signed) throw invalid(text);
  // A number of digits with an optional fraction, then everything up to the next number is its unit.
  const term = /([0-9]*)(\.?)([0-9]*)([^0-9.]*)/y;
  term.lastIndex = signed;
  let total = 0n;
  while (term.lastIndex < text.length) {
    const [, whole = "", , fraction = "", unit = ""] = term.exec(text) ?? [];
    total += termValue(text, whole, fraction, unit);
    if (total > maxDuration) throw invalid(text);
  }
  if (text.startsWith("-")) return -total;
  if (total === maxDuration) throw invalid(text);
  return total;
}

function termValue(text: string, whole: string, fraction: string, unitName: string): bigint {
  const count = whole.length > 400 ? leadingZeros(whole) : BigInt(whole || "0");
  if ((whole === "" && fraction === "") || count > maxDuration) throw invalid(text);
  if (unitName === "") throw new SyntaxError(`time: missing unit in duration ${goByteQuote(text)}`);
  const unit = units.get(unitName);
  if (unit === undefined) {
    throw new SyntaxError(`time: unknown unit ${goByteQuote(unitName)} in duration ${goByteQuote(text)}`);
  }
  return count * unit + fractionValue(fraction, unit);
}

/** Long runs of digits can only be valid when nearly all are zero; spares turning megabytes into a number. */
function leadingZeros(digits: string): bigint {
  const significant = digits.replace(/^0+/, "");
  return significant.length > 20 ? maxDuration + 1n : BigInt(significant || "0");
}

/** In floating point, as Go computes it, down to the same nanosecond. Digits beyond an int64 are ignored. */
function fractionValue(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (maxDuration - 1n) / 10n || next > maxDuration) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function invalid(text: string): SyntaxError {
  return new SyntaxError(`time: invalid duration ${goByteQuote(text)}`);
}

/**
 * The text Go prints: `1h30m0s`, `1.5s`, `250ms`, `0s`.
 *
 * @example
 * formatDuration(5_400_000_000_000n); // "1h30m0s"
 */
export function formatDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size === 0n) return "0s";
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${withFraction(size, 3)}µs`;
  if (size < second) return `${sign}${withFraction(size, 6)}ms`;
  const minutes = size / (60n * second);
  const seconds = `${withFraction(size % (60n * second), 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? "" : `${hours}h`}${minutes % 60n}m${seconds}`;
}

function withFraction(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return digits.slice(0, -decimals) + (fraction === "" ? "" : `.${fraction}`);
}

/** Milliseconds, for a clock; what is below a nanosecond of them cannot occur. */
export function durationToMilliseconds(text: string): number {
  return Number(parseDuration(text)) / 1e6;
}

/** The text for a number of milliseconds, to the nanosecond. */
export function millisecondsToDuration(milliseconds: number): string {
  return formatDuration(BigInt(Math.round(milliseconds * 1e6)));
}

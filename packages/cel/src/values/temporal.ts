// Timestamps and durations with nanoseconds. Durations are rare and span 64 bits, so they count in a bigint.
import { CelFailure } from "./failure.js";

const billion = 1_000_000_000n;
/** The years 1 to 9999. */
const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;
const maxNanos = 2n ** 63n - 1n;

/** A length of time in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    if (nanos > maxNanos || nanos < -maxNanos - 1n) throw new CelFailure("duration overflow");
    this.nanos = nanos;
  }
}

/** A point in time: seconds since 1970 and the nanoseconds on top. */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;

  constructor(seconds: number, nanos: number) {
    if (seconds < minSeconds || seconds > maxSeconds) throw new CelFailure("timestamp overflow");
    this.seconds = seconds;
    this.nanos = nanos;
  }

  /** The same point counted in nanoseconds. */
  get total(): bigint {
    return BigInt(this.seconds) * billion + BigInt(this.nanos);
  }

  static fromTotal(total: bigint): Timestamp {
    let seconds = total / billion;
    let nanos = total % billion;
    if (nanos < 0n) {
      seconds -= 1n;
      nanos += billion;
    }
    return new Timestamp(Number(seconds), Number(nanos));
  }
}

const datetime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/** An RFC 3339 time, or undefined when it is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  // Nothing longer is a time; the pattern need not look at it.
  const match = text.length > 64 ? null : datetime.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = zoneOffset(match[8], match[9], match[10]);
  if (offset === undefined) return undefined;
  // Date.UTC reads years below 100 as 19xx.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  const nanos = Number((match[7] ?? "").slice(0, 9).padEnd(9, "0"));
  if (seconds < minSeconds || seconds > maxSeconds) return undefined;
  return new Timestamp(seconds, nanos);
}

function zoneOffset(sign?: string, hours?: string, minutes?: string): number | undefined {
  if (sign === undefined) return 0;
  const [h, m] = [Number(hours), Number(minutes)];
  if (h > 24 || m > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (h * 3600 + m * 60);
}

/** A time as RFC 3339 prints it in UTC, with as many decimals as needed. */
export function formatTimestamp({ seconds, nanos }: Timestamp): string {
  const text = new Date(seconds * 1000).toISOString();
  const year = text.startsWith("+") || text.startsWith("-") ? text.slice(3) : text;
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${year.slice(0, 19)}${fraction}Z`;
}

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: billion,
  m: 60n * billion,
  h: 3600n * billion,
};
const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;

/** A duration as Go writes it (`1h30m`, `-1.5s`), or undefined when it is none or does not fit. */
export function parseDuration(text: string): Duration | undefined {
  const negative = text.startsWith("-");
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === "0") return new Duration(0n);
  if (body === "" || body.length > 256) return undefined;
  let total = 0n;
  for (part.lastIndex = 0; part.lastIndex < body.length; ) {
    const match = part.exec(body);
    const nanos = match === null ? undefined : partNanos(match);
    if (nanos === undefined) return undefined;
    total += nanos;
  }
  const nanos = negative ? -total : total;
  return nanos > maxNanos || nanos < -maxNanos - 1n ? undefined : new Duration(nanos);
}

function partNanos(match: RegExpExecArray): bigint | undefined {
  const [, whole = "", fraction = "", unit = ""] = match;
  const scale = unitNanos[unit];
  if (scale === undefined || (whole === "" && fraction === "")) return undefined;
  const digits = fraction.slice(0, 18);
  const decimals = digits === "" ? 0n : (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
  return BigInt(whole === "" ? 0 : whole) * scale + decimals;
}

/** A duration as CEL's `string()` prints it: seconds. */
export function formatDuration({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = magnitude % billion;
  const decimals = fraction === 0n ? "" : `.${String(fraction).padStart(9, "0").replace(/0+$/, "")}`;
  return `${nanos < 0n ? "-" : ""}${magnitude / billion}${decimals}s`;
}

// Timestamps as Go parses and prints them: strict RFC 3339, errors that quote what could not be parsed, UTC out.

/** A moment, or why the text is none. */
export type ParsedTime =
  | { readonly ok: true; readonly seconds: number; readonly nanos: number }
  | { readonly ok: false; readonly error: string };

/** The layouts of `metav1.Time` and `metav1.MicroTime`. */
export type TimeLayout = "2006-01-02T15:04:05Z07:00" | "2006-01-02T15:04:05.000000Z07:00";

/** What `metav1.Time` is read with. */
export const timeLayout: TimeLayout = "2006-01-02T15:04:05Z07:00";
/** What `metav1.MicroTime` is read with: six digits after the second, no less, no more. */
export const microTimeLayout: TimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** Seconds of the year 1, which Go takes for "no time". */
export const zeroTimeSeconds = -62_135_596_800;

const parts: readonly (readonly [layout: string, shape: RegExp, max: number, name: string])[] = [
  ["2006", /^\d{4}/, 9999, ""],
  ["-", /^-/, 0, ""],
  ["01", /^\d{2}/, 12, "month"],
  ["-", /^-/, 0, ""],
  ["02", /^\d{2}/, 31, "day"],
  ["T", /^T/, 0, ""],
  ["15", /^\d{1,2}/, 23, "hour"],
  [":", /^:/, 0, ""],
  ["04", /^\d{2}/, 59, "minute"],
  [":", /^:/, 0, ""],
  ["05", /^\d{2}/, 59, "second"],
];

/** Parses a timestamp. */
export function parseTime(text: string, layout: TimeLayout): ParsedTime {
  const fail = (rest: string, as: string): ParsedTime => ({
    ok: false,
    error: `parsing time ${quote(text)} as "${layout}": cannot parse ${quote(rest)} as "${as}"`,
  });
  const outOfRange = (name: string): ParsedTime => ({
    ok: false,
    error: `parsing time ${quote(text)}: ${name} out of range`,
  });
  const numbers: number[] = [];
  let rest = text;
  for (const [element, shape, max, name] of parts) {
    const found = shape.exec(rest)?.[0];
    if (found === undefined) return fail(rest, element);
    rest = rest.slice(found.length);
    if (max === 0) continue;
    const number = Number(found);
    if (number > max || (number === 0 && (name === "month" || name === "day"))) return outOfRange(name);
    numbers.push(number);
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  if (day > daysIn(year, month)) return outOfRange("day");
  const fraction = /^[.,](\d+)/.exec(rest);
  if (layout === microTimeLayout && fraction?.[1]?.length !== 6) return fail(rest, ".000000");
  if (fraction) rest = rest.slice(fraction[0].length);
  const zone = /^(?:Z|([+-])(\d{2}):(\d{2}))/.exec(rest);
  if (!zone) return fail(rest, "Z07:00");
  if (zone[0].length < rest.length) {
    return {
      ok: false,
      error: `parsing time ${quote(text)}: extra text: ${quote(rest.slice(zone[0].length))}`,
    };
  }
  const offset = (Number(zone[2] ?? 0) * 60 + Number(zone[3] ?? 0)) * (zone[1] === "-" ? -60 : 60);
  const seconds = utcSeconds(year, month, day) + hour * 3600 + minute * 60 + second - offset;
  return { ok: true, seconds, nanos: Number((fraction?.[1] ?? "").slice(0, 9).padEnd(9, "0")) };
}

/** Prints a moment as the server does: whole seconds, or six digits for the micro layout. */
export function formatTime(seconds: number, nanos: number, layout: TimeLayout): string {
  const iso = new Date(seconds * 1000).toISOString();
  const whole = iso.slice(0, iso.lastIndexOf("."));
  if (layout === timeLayout) return `${whole}Z`;
  return `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z`;
}

function utcSeconds(year: number, month: number, day: number): number {
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 1000;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

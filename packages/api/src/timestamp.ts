// Timestamps as Kubernetes writes them: RFC 3339 in UTC, whole seconds for most fields (`Time`), six decimals for
// leases and events (`MicroTime`). In memory a time is a number of milliseconds since 1970, with decimals where there
// are microseconds. Reading is as lenient as Go's `time.Parse`, and fails with its words.
import { flatText } from "./flat-text.js";
import type { MicroTime, Time } from "./generated/meta-v1.js";
import { goByteQuote } from "./go-text.js";

const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** `2026-01-02T03:04:05Z`; what is beyond the second is cut off. */
export function formatTime(milliseconds: number): Time {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  // Every write is stamped with a time, and `toISOString` takes thrice as long.
  if (!(year >= 1000 && year <= 9999)) return `${isoString(milliseconds).slice(0, 19)}Z`;
  const day = `${year}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`;
  const hour = `${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}`;
  return flatText(`${day}T${hour}:${twoDigits(date.getUTCSeconds())}Z`);
}

const twoDigits = (number: number): string => (number < 10 ? `0${number}` : `${number}`);

/** `2026-01-02T03:04:05.000006Z`; exact to the microsecond from 1831 to 2109, where a number of milliseconds is. */
export function formatMicroTime(milliseconds: number): MicroTime {
  const micros = Math.round(milliseconds * 1000);
  const whole = Math.floor(micros / 1000);
  return `${isoString(whole).slice(0, 23)}${String(micros - whole * 1000).padStart(3, "0")}Z`;
}

function isoString(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  if (text.length !== 24) throw new RangeError(`the year of ${text} has more than four digits`);
  return text;
}

/** Milliseconds since 1970; throws a SyntaxError when the text is no RFC 3339 time. */
export function parseTime(text: Time): number {
  return readUsual(text) ?? new TimeReader(text, timeLayout).read();
}

/** Milliseconds since 1970; throws a SyntaxError unless the text is an RFC 3339 time with exactly six decimals. */
export function parseMicroTime(text: MicroTime): number {
  return new TimeReader(text, microTimeLayout).read();
}

/** The text as the server would write it; throws a SyntaxError when it is no RFC 3339 time. */
export function canonicalTime(text: Time): Time {
  return text.length === 20 && canonical.test(text) ? text : formatTime(parseTime(text));
}

/** Most times came from the server itself. Days some month lacks, and the leap second, are for the reader. */
const canonical =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/;

/** `2026-01-02T03:04:05Z`, the form the server writes itself, in one go; undefined for every other. */
function readUsual(text: string): number | undefined {
  if (text.length !== 20 || !usual.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  // Days a month does not have are reported in the words of Go.
  return Number.isNaN(milliseconds) || Number(text.slice(8, 10)) > 28 ? undefined : milliseconds;
}

const usual = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}Z$/;

/** Walks through the elements of a layout, as Go does, so that errors name the same place. */
class TimeReader {
  readonly #text: string;
  readonly #layout: string;
  #rest: string;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
    this.#rest = text;
  }

  read(): number {
    const year = Number(this.#take(/^[0-9]{4}/, "2006"));
    this.#take(/^-/, "-");
    const month = this.#number(/^[0-9]{2}/, "01", 1, 12, "month");
    this.#take(/^-/, "-");
    const day = Number(this.#take(/^[0-9]{2}/, "02"));
    this.#take(/^T/, "T");
    const hour = this.#number(/^[0-9]{1,2}/, "15", 0, 23, "hour");
    this.#take(/^:/, ":");
    const minute = this.#number(/^[0-9]{2}/, "04", 0, 59, "minute");
    this.#take(/^:/, ":");
    const second = this.#number(/^[0-9]{2}/, "05", 0, 59, "second");
    const fraction = this.#fraction();
    const offset = this.#offset();
    if (this.#rest !== "") throw this.#problem(`extra text: ${goByteQuote(this.#rest)}`);
    if (day < 1 || day > daysIn(year, month)) throw this.#problem("day out of range");
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    return date.setUTCHours(hour, minute, second) - offset * 60_000 + fraction;
  }

  /** Milliseconds. */
  #fraction(): number {
    const exact = this.#layout === microTimeLayout;
    const digits = exact
      ? this.#take(/^[.,][0-9]{6}/, ".000000")
      : (/^[.,][0-9]+/.exec(this.#rest)?.[0] ?? "");
    if (!exact) this.#rest = this.#rest.slice(digits.length);
    return digits === "" ? 0 : Number(`0.${digits.slice(1, 10)}`) * 1000;
  }

  /** Minutes east of Greenwich. */
  #offset(): number {
    const zone = this.#take(/^(?:Z|[-+][0-9]{2}:[0-9]{2})/, "Z07:00");
    if (zone === "Z") return 0;
    const hours = Number(zone.slice(1, 3));
    const minutes = Number(zone.slice(4));
    if (minutes > 60) throw this.#problem("time zone offset minute out of range");
    if (hours > 24) throw this.#problem("time zone offset hour out of range");
    return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
  }

  #number(shape: RegExp, element: string, low: number, high: number, what: string): number {
    const value = Number(this.#take(shape, element));
    if (value < low || value > high) throw this.#problem(`${what} out of range`);
    return value;
  }

  #take(shape: RegExp, element: string): string {
    const taken = shape.exec(this.#rest)?.[0];
    if (taken === undefined) {
      throw new SyntaxError(
        `parsing time ${goByteQuote(this.#text)} as "${this.#layout}": ` +
          `cannot parse ${goByteQuote(this.#rest)} as "${element}"`,
      );
    }
    this.#rest = this.#rest.slice(taken.length);
    return taken;
  }

  #problem(what: string): SyntaxError {
    return new SyntaxError(`parsing time ${goByteQuote(this.#text)}: ${what}`);
  }
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

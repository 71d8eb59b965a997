// Dates, times and durations as Kubernetes' validator takes them.
import { parseDuration } from "@kubewright/api";

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const datePattern = /^\d{4}-\d{2}-\d{2}$/;

/** A day of the Gregorian calendar: `2006-01-02`. */
export function isDate(text: string): boolean {
  return datePattern.test(text) && isDay(text);
}

/** Whether the first ten characters, known to have the form of a date, are one. */
function isDay(text: string): boolean {
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const days = daysInMonth[month - 1] ?? 0;
  return day >= 1 && day <= (month === 2 && isLeapYear(Number(text.slice(0, 4))) ? 29 : days);
}

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const zero = 48;

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - zero) * 10 + text.charCodeAt(at + 1) - zero;
}

const dateTimePattern =
  /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:[^\n][0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})(?:[Tt]|$)/;

/** A date and a time with a zone: `2006-01-02T15:04:05Z`. */
export function isDateTime(text: string): boolean {
  return (
    dateTimePattern.test(text) &&
    isDay(text) &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  );
}

/** A duration as Go prints it (`1h30m`), or in words (`3 days`). */
export function isDuration(text: string): boolean {
  if (text.length > 1000) return false;
  return isGoDuration(text) || isWordedDuration(text);
}

function isGoDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    return false;
  }
}

const maxAmount = 2 ** 63;
const worded = /^\s*(?:\d+\s*[A-Za-zµ]+\s*)+$/;
const wordedPart = /(\d+)\s*([A-Za-zµ]+)/g;
const shortUnits = new Set(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const unitPrefixes = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

function isWordedDuration(text: string): boolean {
  if (!worded.test(text)) return false;
  let known = false;
  for (const [, amount, word = ""] of text.matchAll(wordedPart)) {
    if (Number(amount) >= maxAmount) return false;
    const unit = word.toLowerCase();
    known ||= shortUnits.has(unit) || unitPrefixes.some((prefix) => unit.startsWith(prefix));
  }
  return known;
}

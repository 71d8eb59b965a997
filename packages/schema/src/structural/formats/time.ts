// Dates, times and durations as Kubernetes' validator takes them.
import { parseDuration } from "@kubewright/api";

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A day of the Gregorian calendar: `2006-01-02`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = datePattern.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) && Number(day) > 0;
}

const timePattern = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$/;

/** A date and a time with a zone: `2006-01-02T15:04:05Z`. */
export function isDateTime(text: string): boolean {
  const [day = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(day)) return false;
  const [, hour = "", minute = "", second = ""] = timePattern.exec(time) ?? [];
  return hour !== "" && hour <= "23" && minute <= "59" && second <= "59";
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

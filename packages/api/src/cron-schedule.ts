// Schedules of CronJobs, read exactly as Kubernetes reads them, so that validation and the CronJob controller agree: five
// fields, names of months and days, `?`, steps, `@daily` and the like, `@every 90m`, and the zone that may stand in front.
// Where they are wrong, errors say so in Kubernetes' words.
import { parseDuration } from "./duration.js";

/** The minutes, hours, days, months and weekdays at which a CronJob is due, as sets of numbers. */
export interface CronCalendar {
  readonly kind: "calendar";
  /** The zone written in front; undefined when there is none. */
  readonly zone: string | undefined;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** One of the two fields of days asks for nothing, so both must hold; otherwise either will do. */
  readonly needsBothDays: boolean;
}

/** A schedule that comes again after the same time. */
export interface CronInterval {
  readonly kind: "every";
  /** In whole seconds. */
  readonly seconds: number;
}

/** The parsed schedule of a CronJob. */
export type CronSchedule = CronCalendar | CronInterval;

/** A text that is no schedule. */
export class CronSyntaxError extends SyntaxError {
  override readonly name = "CronSyntaxError";
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[] | undefined;
}

interface Field {
  readonly values: Set<number>;
  readonly isAny: boolean;
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: monthNames },
  { min: 0, max: 6, names: dayNames },
];
/** Words for common schedules, and the five fields they stand for. */
export const cronDescriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);
const every = "@every ";
const nanosecondsPerSecond = 1_000_000_000n;

/** Reads the schedule of a CronJob. Throws a CronSyntaxError. */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === "") throw new CronSyntaxError("empty spec string");
  const { zone, rest } = splitZone(text);
  if (!rest.startsWith("@")) return calendar(rest, zone);
  const meaning = cronDescriptors.get(rest);
  if (meaning !== undefined) return calendar(meaning, zone);
  if (!rest.startsWith(every)) throw new CronSyntaxError(`unrecognized descriptor: ${rest}`);
  return { kind: "every", seconds: intervalOf(rest) };
}

function splitZone(text: string): { readonly zone: string | undefined; readonly rest: string } {
  const prefix = /^(?:CRON_)?TZ=/.exec(text)?.[0];
  if (prefix === undefined) return { zone: undefined, rest: text };
  const space = text.indexOf(" ");
  const end = space === -1 ? text.length : space;
  const zone = text.slice(prefix.length, end);
  if (!isTimeZone(zone))
    throw new CronSyntaxError(`provided bad location ${zone}: unknown time zone ${zone}`);
  return { zone, rest: text.slice(end).trim() };
}

function calendar(text: string, zone: string | undefined): CronCalendar {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== bounds.length)
    throw new CronSyntaxError(
      `expected exactly ${bounds.length} fields, found ${parts.length}: [${parts.join(" ")}]`,
    );
  const none: Field = { values: new Set(), isAny: false };
  const fields = bounds.map((each, index) => fieldOf(parts[index] ?? "", each));
  const [minutes = none, hours = none, days = none, months = none, weekdays = none] = fields;
  return {
    kind: "calendar",
    zone,
    minutes: minutes.values,
    hours: hours.values,
    days: days.values,
    months: months.values,
    weekdays: weekdays.values,
    needsBothDays: days.isAny || weekdays.isAny,
  };
}

function intervalOf(descriptor: string): number {
  try {
    return Math.max(1, Number(parseDuration(descriptor.slice(every.length)) / nanosecondsPerSecond));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CronSyntaxError(`failed to parse duration ${descriptor}: ${why}`);
  }
}

/** A list of ranges; empty parts of it mean nothing. */
function fieldOf(text: string, { min, max, names }: Bounds): Field {
  const values = new Set<number>();
  let isAny = false;
  for (const part of text.split(",")) {
    if (part === "") continue;
    const range = rangeOf(part, { min, max, names });
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isAny ||= range.isAny;
  }
  return { values, isAny };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isAny: boolean;
}

/** `5`, `1-5`, `*`, each with an optional step. */
function rangeOf(expression: string, { min, max, names }: Bounds): Range {
  const [range = "", stepText, ...moreSteps] = expression.split("/");
  const [low = "", high, ...moreHyphens] = range.split("-");
  const isStar = low === "*" || low === "?";
  const start = isStar ? min : numberOf(low, names, min);
  let end = isStar ? max : high === undefined ? start : numberOf(high, names, min);
  if (!isStar && moreHyphens.length > 0) throw new CronSyntaxError(`too many hyphens: ${expression}`);
  if (moreSteps.length > 0) throw new CronSyntaxError(`too many slashes: ${expression}`);
  const step = stepText === undefined ? 1 : numberOf(stepText, undefined, 0);
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min)
    throw new CronSyntaxError(`beginning of range (${start}) below minimum (${min}): ${expression}`);
  if (end > max) throw new CronSyntaxError(`end of range (${end}) above maximum (${max}): ${expression}`);
  if (start > end)
    throw new CronSyntaxError(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (step === 0) throw new CronSyntaxError(`step of range should be a positive number: ${expression}`);
  return { start, end, step, isAny: isStar && step === 1 };
}

function numberOf(text: string, names: readonly string[] | undefined, first: number): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + first;
  const isNumber = /^[+-]?[0-9]+$/.test(text);
  if (!isNumber || !Number.isSafeInteger(Number(text))) {
    const why = isNumber ? "value out of range" : "invalid syntax";
    throw new CronSyntaxError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`,
    );
  }
  if (Number(text) < 0) throw new CronSyntaxError(`negative number (${Number(text)}) not allowed: ${text}`);
  return Number(text);
}

/** True when the time zone database knows the name; to kube-apiserver names are those of files, so case matters. */
export function isTimeZone(name: string): boolean {
  if (name === "") return true;
  if (!/^[A-Z]/.test(name)) return false;
  try {
    const known = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

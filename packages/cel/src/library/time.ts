// The parts of times and durations, in UTC or any zone.
import {
  declare,
  type FunctionDeclaration,
  type Library,
  memberOverload,
  type Overload,
} from "../declarations.js";
import { isDuration, isString, isTimestamp, on1, on2 } from "../guards.js";
import { durationType, intType, stringType, timestampType } from "../types.js";
import { CelFailure } from "../values/failure.js";
import { intFromBigInt } from "../values/int.js";
import type { Meter } from "../values/meter.js";
import type { Timestamp } from "../values/temporal.js";

/** Reads a part from a date whose UTC fields show the local time. */
type Part = (local: Date) => number;

const day = 86_400_000;

const parts: Readonly<Record<string, readonly [id: string, part: Part]>> = {
  getFullYear: ["timestamp_to_year", (local) => local.getUTCFullYear()],
  getMonth: ["timestamp_to_month", (local) => local.getUTCMonth()],
  getDayOfYear: [
    "timestamp_to_day_of_year",
    (local) => {
      const start = new Date(local);
      start.setUTCMonth(0, 1);
      return Math.round((local.getTime() - start.getTime()) / day);
    },
  ],
  getDayOfMonth: ["timestamp_to_day_of_month", (local) => local.getUTCDate() - 1],
  getDate: ["timestamp_to_day_of_month_1_based", (local) => local.getUTCDate()],
  getDayOfWeek: ["timestamp_to_day_of_week", (local) => local.getUTCDay()],
  getHours: ["timestamp_to_hours", (local) => local.getUTCHours()],
  getMinutes: ["timestamp_to_minutes", (local) => local.getUTCMinutes()],
  getSeconds: ["timestamp_to_seconds", (local) => local.getUTCSeconds()],
  getMilliseconds: ["timestamp_to_milliseconds", (local) => local.getUTCMilliseconds()],
};

/** Nanoseconds per unit of what a duration can be asked for. */
const units: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

const milliseconds = (time: Timestamp): number => time.seconds * 1000 + Math.floor(time.nanos / 1_000_000);

/** Minutes east of Greenwich of a zone written as an offset, or undefined. */
function fixedOffset(zone: string): number | undefined {
  const match = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -minutes : minutes;
}

function localDate(time: Timestamp, zone: string, meter: Meter): Date {
  const utc = milliseconds(time);
  const offset = zone === "UTC" || zone === "" ? 0 : fixedOffset(zone);
  return new Date(utc + (offset ?? namedOffset(utc, zone, meter)) * 60_000);
}

/** Looking a zone up takes about as long as ten thousand other steps. */
const lookupWork = 10_000;

function namedOffset(utc: number, zone: string, meter: Meter): number {
  meter.work(lookupWork);
  let text: string;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    text = format.formatToParts(utc).find(({ type }) => type === "timeZoneName")?.value ?? "";
  } catch {
    throw new CelFailure(`unknown time zone ${zone}`);
  }
  // "GMT", "GMT+02:00", "GMT-03:30"; historic zones have seconds too, which no caller asks for.
  return fixedOffset(text.slice(3, 9)) ?? 0;
}

function declarePart(name: string, [id, part]: readonly [string, Part]): FunctionDeclaration {
  const unit = units[name];
  const ofDuration: readonly Overload[] =
    unit === undefined
      ? []
      : [
          memberOverload(
            id.replace("timestamp", "duration"),
            [durationType],
            intType,
            on1(isDuration, (value) => intFromBigInt(value.nanos / unit)),
          ),
        ];
  return declare(
    name,
    memberOverload(
      id,
      [timestampType],
      intType,
      on1(isTimestamp, (time) => part(new Date(milliseconds(time)))),
    ),
    memberOverload(
      `${id}_with_tz`,
      [timestampType, stringType],
      intType,
      on2(isTimestamp, isString, (time, zone, meter) => part(localDate(time, zone, meter))),
    ),
    ...ofDuration,
  );
}

/** `getFullYear`, `getHours` and so on. */
export const timeLibrary: Library = {
  functions: Object.entries(parts).map(([name, part]) => declarePart(name, part)),
};

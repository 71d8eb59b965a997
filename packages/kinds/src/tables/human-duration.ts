// Ages as kubectl users read them: two units at most, coarser the older.
import { parseMicroTime, parseTime } from "@kubewright/api";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** `45s`, `3m20s`, `2h`, `5d3h`, `2y40d`. Milliseconds in. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  // Clocks may differ by a second; more is a mistake.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 10 * minute) return twoUnits(seconds, minute, "m", 1, "s");
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 8 * hour) return twoUnits(seconds, hour, "h", minute, "m");
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  if (seconds < 8 * day) return twoUnits(seconds, day, "d", hour, "h");
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`;
  if (seconds < 8 * year) return twoUnits(seconds, year, "y", day, "d");
  return `${Math.floor(seconds / year)}y`;
}

function twoUnits(
  seconds: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string {
  const rest = Math.floor((seconds % large) / small);
  const whole = `${Math.floor(seconds / large)}${largeName}`;
  return rest === 0 ? whole : `${whole}${rest}${smallName}`;
}

/** How long ago a timestamp was. */
export function ageOf(timestamp: string | null | undefined, now: number): string {
  const time = millisecondsOf(timestamp);
  return time === undefined ? "<unknown>" : humanDuration(now - time);
}

/** Milliseconds since the epoch of a `Time` or `MicroTime`; undefined when unset or broken. */
export function millisecondsOf(timestamp: string | null | undefined): number | undefined {
  if (!timestamp) return undefined;
  try {
    return timestamp.includes(".") ? parseMicroTime(timestamp) : parseTime(timestamp);
  } catch {
    return undefined;
  }
}

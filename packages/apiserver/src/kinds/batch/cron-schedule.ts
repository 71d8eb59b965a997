// Whether a cron schedule can be read, and in Kubernetes' words why not.
import { parseDuration } from "@kubewright/api";

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[] | undefined;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

class ScheduleError extends Error {}

/** What is wrong with a schedule; undefined when nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    checkSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function checkSchedule(schedule: string): void {
  let text = schedule;
  if (text === "") throw new ScheduleError("empty spec string");
  const zone = /^(?:CRON_)?TZ=(\S*)/.exec(text);
  if (zone) {
    const name = zone[1] ?? "";
    if (!isTimeZone(name))
      throw new ScheduleError(`provided bad location ${name}: unknown time zone ${name}`);
    text = text.slice(zone[0].length).trim();
  }
  if (text.startsWith("@")) checkDescriptor(text);
  else checkFields(text);
}

function checkFields(text: string): void {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== fields.length)
    throw new ScheduleError(
      `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(" ")}]`,
    );
  parts.forEach((part, index) => {
    const bounds = fields[index];
    for (const range of part.split(",")) if (range !== "" && bounds) checkRange(range, bounds);
  });
}

function checkDescriptor(descriptor: string): void {
  if (descriptors.has(descriptor)) return;
  const every = "@every ";
  if (!descriptor.startsWith(every)) throw new ScheduleError(`unrecognized descriptor: ${descriptor}`);
  try {
    parseDuration(descriptor.slice(every.length));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ScheduleError(`failed to parse duration ${descriptor}: ${why}`);
  }
}

/** `5`, `1-5`, `*`, each with an optional step. */
function checkRange(expression: string, bounds: Bounds): void {
  const [range = "", stepText, ...moreSteps] = expression.split("/");
  const [low = "", high, ...moreHyphens] = range.split("-");
  const isStar = low === "*" || low === "?";
  const start = isStar ? bounds.min : numberOf(low, bounds.names, bounds.min);
  let end = isStar ? bounds.max : high === undefined ? start : numberOf(high, bounds.names, bounds.min);
  if (!isStar && moreHyphens.length > 0) throw new ScheduleError(`too many hyphens: ${expression}`);
  const step = stepText === undefined ? 1 : numberOf(stepText, undefined, 0);
  if (stepText !== undefined && high === undefined) end = bounds.max;
  if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${expression}`);
  if (start < bounds.min)
    throw new ScheduleError(`beginning of range (${start}) below minimum (${bounds.min}): ${expression}`);
  if (end > bounds.max)
    throw new ScheduleError(`end of range (${end}) above maximum (${bounds.max}): ${expression}`);
  if (start > end)
    throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${expression}`);
}

function numberOf(text: string, names: readonly string[] | undefined, first: number): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + first;
  if (!/^[+-]?[0-9]{1,18}$/.test(text))
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  const number = Number(text);
  if (number < 0) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`);
  return number;
}

/** Whether the time zone database knows the name. */
export function isTimeZone(name: string): boolean {
  // Names are file names to the real server, so case matters; no zone is all lower case.
  if (name === "" || name === name.toLowerCase()) return name === "";
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

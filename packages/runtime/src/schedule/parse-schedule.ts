// From a text to a schedule.
import { cronDescriptors } from "@kubewright/api";
import { CalendarSchedule } from "./calendar-schedule.js";
import { DateSchedule, parseMoment } from "./date-schedule.js";
import { Days } from "./days.js";
import type { Piece } from "./field.js";
import { IntervalSchedule, parseInterval } from "./interval-schedule.js";
import type { Schedule } from "./schedule.js";
import { ScheduleError } from "./schedule-error.js";
import { TimeOfDay } from "./time-of-day.js";
import type { TimeZone } from "./time-zone.js";

const maxLength = 500;
/** A leap year: whatever day there ever is, there is one within the horizon from here. */
const someDay = Date.UTC(2000, 0, 1) / 86_400_000;

/** The options of parsing a schedule. */
export interface ScheduleOptions {
  /** A name such as Europe/Berlin. Default: UTC. */
  readonly timeZone?: string | undefined;
  /** The time `@every` counts from, in milliseconds since 1970. Default: 1970. */
  readonly anchor?: number | undefined;
}

/** Reads a schedule in a zone. Throws a ScheduleError. */
export function readSchedule(text: string, zone: TimeZone, anchor = 0): Schedule {
  if (text.length > maxLength)
    throw new ScheduleError(`a schedule has at most ${maxLength} characters`, maxLength);
  const words = wordsOf(text);
  const [first, second] = words;
  if (!first) throw new ScheduleError("the schedule is empty");
  if (/^(?:CRON_)?TZ=/i.test(first.text))
    throw new ScheduleError("the time zone does not belong here; set the field timeZone", first.position);
  if (!first.text.startsWith("@")) return calendar(words, text, zone);
  const rest = {
    text: second ? text.slice(second.position).trim() : "",
    position: second?.position ?? text.length,
  };
  if (first.text === "@every") return new IntervalSchedule(parseInterval(rest), anchor);
  if (first.text === "@date") return new DateSchedule(parseMoment(rest, zone));
  const alias = cronDescriptors.get(first.text.toLowerCase());
  if (!alias || second)
    throw new ScheduleError(
      `"${text}" is no schedule; there are @every, @date, ${[...cronDescriptors.keys()].join(", ")}`,
      alias ? rest.position : first.position,
    );
  return calendar(wordsOf(alias), alias, zone);
}

function calendar(words: readonly Piece[], text: string, zone: TimeZone): Schedule {
  const seconds = words.length === 6 ? words[0] : undefined;
  const [minutes, hours, days, months, weekdays, extra] = seconds ? words.slice(1) : words;
  if (!minutes || !hours || !days || !months || !weekdays || extra)
    throw new ScheduleError(
      `a schedule has 5 fields (minute, hour, day of month, month, day of week) or 6 with seconds first, not ${words.length}`,
      words[6]?.position ?? text.trimEnd().length,
    );
  const time = new TimeOfDay(seconds, minutes, hours);
  const meant = new Days(days, months, weekdays);
  if (meant.from(someDay) === undefined)
    throw new ScheduleError(`"${text}" never comes: no year has such a day`, days.position);
  return new CalendarSchedule(time, meant, zone);
}

function wordsOf(text: string): readonly Piece[] {
  return [...text.matchAll(/\S+/g)].map((match) => ({ text: match[0], position: match.index }));
}

// Which days a schedule means: by month, by day of the month (also counted from its end) and by day of the week (also
// the first, second … or last of a month).
import { type Field, type FieldShape, type Piece, parseField, pieces, readValue } from "./field.js";
import { ScheduleError } from "./schedule-error.js";

const monthWords = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayWords = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const monthShape: FieldShape = { name: "month", least: 1, most: 12, words: monthWords };
const dayShape: FieldShape = { name: "day of month", least: 1, most: 31 };
const weekdayShape: FieldShape = { name: "day of week", least: 0, most: 7, words: dayWords };

const dayLength = 86_400_000;
/** Every date of the calendar falls on every day of the week within so many years, also around 2100. */
const horizonInMonths = 12 * 41;

/** Whether a day of a month is meant. */
type DayTest = (day: number, weekday: number, lengthOfMonth: number) => boolean;

/** Days are counted from 1 January 1970. */
export class Days {
  readonly #months: Field;
  readonly #test: DayTest;

  constructor(days: Piece, months: Piece, weekdays: Piece) {
    this.#months = parseField(months, monthShape);
    const byDay = dayTests(days);
    const byWeekday = weekdayTests(weekdays);
    const isDay: DayTest = (...at) => byDay.some((test) => test(...at));
    const isWeekday: DayTest = (...at) => byWeekday.some((test) => test(...at));
    if (isAny(days)) this.#test = isWeekday;
    else if (isAny(weekdays)) this.#test = isDay;
    else this.#test = (...at) => isDay(...at) || isWeekday(...at);
  }

  has(day: number): boolean {
    const date = new Date(day * dayLength);
    if (!this.#months.values.includes(date.getUTCMonth() + 1)) return false;
    const length = monthLength(date.getUTCFullYear(), date.getUTCMonth());
    return this.#test(date.getUTCDate(), date.getUTCDay(), length);
  }

  /** The first day meant from this one on; undefined when there is none. */
  from(day: number): number | undefined {
    const date = new Date(day * dayLength);
    let first = date.getUTCDate();
    for (let month = 0; month < horizonInMonths; month++) {
      const year = date.getUTCFullYear();
      const index = date.getUTCMonth() + month;
      const found = this.#inMonth(year, index, (days) => days.find((each) => each >= first));
      if (found !== undefined) return found;
      first = 1;
    }
    return undefined;
  }

  /** The last day meant up to this one; undefined when there is none. */
  upTo(day: number): number | undefined {
    const date = new Date(day * dayLength);
    let last = date.getUTCDate();
    for (let month = 0; month < horizonInMonths; month++) {
      const index = date.getUTCMonth() - month;
      const found = this.#inMonth(date.getUTCFullYear(), index, (days) =>
        days.findLast((each) => each <= last),
      );
      if (found !== undefined) return found;
      last = 31;
    }
    return undefined;
  }

  /** `index` counts months from January of the year and may lie outside it. */
  #inMonth(
    year: number,
    index: number,
    choose: (days: readonly number[]) => number | undefined,
  ): number | undefined {
    const first = new Date(Date.UTC(year, index, 1));
    if (!this.#months.values.includes(first.getUTCMonth() + 1)) return undefined;
    const length = monthLength(first.getUTCFullYear(), first.getUTCMonth());
    const weekday = first.getUTCDay();
    const days: number[] = [];
    for (let day = 1; day <= length; day++)
      if (this.#test(day, (weekday + day - 1) % 7, length)) days.push(day);
    const chosen = choose(days);
    return chosen === undefined ? undefined : first.getTime() / dayLength + chosen - 1;
  }
}

const isAny = ({ text }: Piece): boolean => text === "*" || text === "?";

/** How many days a month has; months are counted from 0. */
function monthLength(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

function dayTests(piece: Piece): readonly DayTest[] {
  return pieces(piece, ",").map((part): DayTest => {
    const fromEnd = /^L(?:-(\d{1,2}))?$/i.exec(part.text);
    if (!fromEnd) {
      const { values } = parseField(part, dayShape);
      return (day) => values.includes(day);
    }
    const distance = Number(fromEnd[1] ?? 0);
    if (distance > 30)
      throw new ScheduleError(`day of month: "${part.text}" is before the first`, part.position);
    return (day, _weekday, length) => day === length - distance;
  });
}

function weekdayTests(piece: Piece): readonly DayTest[] {
  return pieces(piece, ",").map((part): DayTest => {
    if (/^L$/i.test(part.text))
      throw new ScheduleError(
        `day of week: say which last day is meant, such as 5L for the last Friday`,
        part.position,
      );
    const last = /^(\w+)L$/i.exec(part.text);
    if (last && !dayWords.includes(part.text.toLowerCase())) {
      const meant = readValue({ text: last[1] ?? "", position: part.position }, weekdayShape) % 7;
      return (day, weekday, length) => weekday === meant && day > length - 7;
    }
    const [which = part, nth, extra] = pieces(part, "#");
    if (nth) return nthWeekday(which, extra ?? nth);
    const values = parseField(part, weekdayShape).values.map((value) => value % 7);
    return (_day, weekday) => values.includes(weekday);
  });
}

function nthWeekday(which: Piece, nth: Piece): DayTest {
  const meant = readValue(which, weekdayShape) % 7;
  if (!/^[1-5]$/.test(nth.text))
    throw new ScheduleError(`day of week: after # comes 1 to 5, not "${nth.text}"`, nth.position);
  const count = Number(nth.text);
  return (day, weekday) => weekday === meant && Math.ceil(day / 7) === count;
}

// The days of a schedule: by month, by day of the month (also counted from its end, or the working day nearest to one)
// and by day of the week (also the first, second … or last of a month).
import { type FieldShape, type Piece, parseField, pieces, readValue } from "./field.js";
import { ScheduleError } from "./schedule-error.js";

const monthWords = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayWords = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const monthShape: FieldShape = { name: "month", least: 1, most: 12, words: monthWords };
const dayShape: FieldShape = { name: "day of month", least: 1, most: 31 };
/** 7 is Sunday too, but open ranges and steps end on Saturday. */
const weekdayShape: FieldShape = { name: "day of week", least: 0, most: 7, openEnd: 6, words: dayWords };

const dayLength = 86_400_000;
/** Every date of the calendar falls on every day of the week within so many years, also around 2100. */
const horizonInMonths = 12 * 41;

/** True when a day of a month is meant. */
type DayTest = (day: number, weekday: number, lengthOfMonth: number) => boolean;

/** Days are counted from 1 January 1970. */
export class Days {
  readonly #months: readonly number[];
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
    if (!this.#months.includes(date.getUTCMonth() + 1)) return false;
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
    if (!this.#months.includes(first.getUTCMonth() + 1)) return undefined;
    const length = monthLength(first.getUTCFullYear(), first.getUTCMonth());
    const weekday = first.getUTCDay();
    const days: number[] = [];
    for (let day = 1; day <= length; day++)
      if (this.#test(day, (weekday + day - 1) % 7, length)) days.push(day);
    const chosen = choose(days);
    return chosen === undefined ? undefined : first.getTime() / dayLength + chosen - 1;
  }
}

/** Nothing is asked of the field. */
const isAny = ({ text }: Piece): boolean => /^[*?](?:\/1)?$/.test(text);

/** The number of days a month has; months are counted from 0. */
function monthLength(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

function dayTests(piece: Piece): readonly DayTest[] {
  return pieces(piece, ",").map((part): DayTest => {
    const isWorking = /^[L\d].*W$/i.test(part.text);
    const date = { ...part, text: isWorking ? part.text.slice(0, -1) : part.text };
    const fromEnd = /^L(?:-(\d{1,2}))?$/i.exec(date.text);
    if (isWorking)
      return nearestWorkingDay(fromEnd ? daysBeforeEnd(fromEnd, part) : readValue(date, dayShape), !!fromEnd);
    if (fromEnd) {
      const distance = daysBeforeEnd(fromEnd, part);
      return (day, _weekday, length) => day === length - distance;
    }
    const values = parseField(part, dayShape);
    return (day) => values.includes(day);
  });
}

function daysBeforeEnd([, digits = "0"]: RegExpExecArray, { text, position }: Piece): number {
  const distance = Number(digits);
  if (distance <= 30) return distance;
  throw new ScheduleError(`day of month: "${text}" is before the first`, position);
}

/**
 * The day from Monday to Friday that is nearest to a date, in the same month; none in a month that does not have the date.
 * `count` is the date, or how many days it is before the last.
 */
function nearestWorkingDay(count: number, isFromEnd: boolean): DayTest {
  return (day, weekday, length) => {
    const date = isFromEnd ? length - count : count;
    if (date < 1 || date > length || weekday === 0 || weekday === 6) return false;
    const weekdayOfDate = (((weekday + date - day) % 7) + 7) % 7;
    if (weekdayOfDate === 6) return day === (date === 1 ? 3 : date - 1);
    if (weekdayOfDate === 0) return day === (date === length ? date - 2 : date + 1);
    return day === date;
  };
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
    const values = parseField(part, weekdayShape).map((value) => value % 7);
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

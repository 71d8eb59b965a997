// Any days, against an account that looks at every single day of five years and computes nothing.
import fc from "fast-check";
import { expect, test } from "vitest";
import { Days } from "./days.js";

interface Day {
  readonly date: number;
  readonly month: number;
  readonly weekday: number;
  readonly length: number;
  /** The dates of its month that are no Saturday and no Sunday. */
  readonly working: readonly number[];
}
type Item = readonly [string, (day: Day) => boolean];

const dayLength = 86_400_000;
const first = Date.UTC(2026, 0, 1) / dayLength;
const names = ["SUN", "mon", "Tue", "WED", "thu", "FRI", "sat"];
const months = ["JAN", "feb", "Mar", "APR", "may", "JUN", "jul", "AUG", "sep", "OCT", "nov", "DEC"];

const calendar: readonly Day[] = Array.from({ length: 5 * 365 + 1 }, (_, index) => {
  const date = new Date((first + index) * dayLength);
  const month = date.getUTCMonth() + 1;
  const inMonth = Array.from(
    { length: 31 },
    (_, each) => new Date(Date.UTC(date.getUTCFullYear(), month - 1, each + 1)),
  );
  const dates = inMonth.filter((each) => each.getUTCMonth() + 1 === month);
  return {
    date: date.getUTCDate(),
    month,
    weekday: date.getUTCDay(),
    length: dates.length,
    working: dates.filter((each) => each.getUTCDay() % 6 !== 0).map((each) => each.getUTCDate()),
  };
});

/** Of the working days of the month the one with the least distance to a date that the month has. */
const isNearest = ({ date, length, working }: Day, to: number): boolean =>
  to >= 1 && to <= length && working.toSorted((a, b) => Math.abs(a - to) - Math.abs(b - to))[0] === date;

const items = {
  day: fc.oneof(
    fc.integer({ min: 1, max: 31 }).map((to): Item => [`${to}`, ({ date }) => date === to]),
    fc.integer({ min: 1, max: 31 }).map((to): Item => [`${to}W`, (day) => isNearest(day, to)]),
    fc
      .integer({ min: 0, max: 30 })
      .map((n): Item => [n ? `L-${n}` : "L", ({ date, length }) => date === length - n]),
    fc
      .integer({ min: 0, max: 30 })
      .map((n): Item => [n ? `L-${n}w` : "lW", (day) => isNearest(day, day.length - n)]),
    fc
      .tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 31 }))
      .map(([from, by]): Item => [`${from}/${by}`, ({ date }) => date >= from && (date - from) % by === 0]),
  ),
  weekday: fc.oneof(
    fc.integer({ min: 0, max: 7 }).map((n): Item => [`${n}`, ({ weekday }) => weekday === n % 7]),
    fc.integer({ min: 0, max: 6 }).map((n): Item => [names[n]!, ({ weekday }) => weekday === n]),
    fc
      .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 5 }))
      .map(
        ([n, nth]): Item => [
          `${names[n]}#${nth}`,
          ({ weekday, date }) => weekday === n && date > 7 * (nth - 1) && date <= 7 * nth,
        ],
      ),
    fc
      .integer({ min: 0, max: 6 })
      .map((n): Item => [`${n}L`, ({ weekday, date, length }) => weekday === n && date + 7 > length]),
    fc
      .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 7 }))
      .map(
        ([from, by]): Item => [
          `${from}/${by}`,
          ({ weekday }) => weekday >= from && (weekday - from) % by === 0,
        ],
      ),
    fc
      .integer({ min: 1, max: 6 })
      .map((from): Item => [`${names[from]}-SUN`, ({ weekday }) => weekday === 0 || weekday >= from]),
  ),
  month: fc.oneof(
    fc.integer({ min: 1, max: 12 }).map((n): Item => [`${n}`, ({ month }) => month === n]),
    fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })).map(([a, b]): Item => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      return [`${months[from - 1]}-${months[to - 1]}`, ({ month }) => month >= from && month <= to];
    }),
  ),
};

const field = (item: fc.Arbitrary<Item>): fc.Arbitrary<Item> =>
  fc.oneof(
    fc.constantFrom("*", "?", "*/1").map((text): Item => [text, () => true]),
    fc
      .array(item, { minLength: 1, maxLength: 3 })
      .map(
        (list): Item => [list.map(([text]) => text).join(","), (day) => list.some(([, test]) => test(day))],
      ),
  );

test("the days of a schedule are those that a scan of every day finds, forwards and backwards", {
  timeout: 60_000,
}, () => {
  fc.assert(
    fc.property(field(items.day), field(items.month), field(items.weekday), (day, month, weekday) => {
      const isNarrow = ([text]: Item): boolean => !/^[*?]/.test(text);
      const isEither = isNarrow(day) && isNarrow(weekday);
      const isMeant = (each: Day): boolean =>
        month[1](each) && (isEither ? day[1](each) || weekday[1](each) : day[1](each) && weekday[1](each));
      const expected = calendar.flatMap((each, index) => (isMeant(each) ? [first + index] : []));
      const piece = ([text]: Item) => ({ text, position: 0 });
      const days = new Days(piece(day), piece(month), piece(weekday));
      const last = first + calendar.length - 1;
      const forwards: number[] = [];
      for (let at = days.from(first); at !== undefined && at <= last; at = days.from(at + 1))
        forwards.push(at);
      const backwards: number[] = [];
      for (let at = days.upTo(last); at !== undefined && at >= first; at = days.upTo(at - 1))
        backwards.push(at);
      expect(forwards).toEqual(expected);
      expect(backwards.reverse()).toEqual(expected);
      const held = calendar.flatMap((_, index) => (days.has(first + index) ? [first + index] : []));
      expect(held).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

// The times of day of a schedule.
import { type FieldShape, type Piece, parseField } from "./field.js";

const secondShape: FieldShape = { name: "second", least: 0, most: 59 };
const minuteShape: FieldShape = { name: "minute", least: 0, most: 59 };
const hourShape: FieldShape = { name: "hour", least: 0, most: 23 };

/** Seconds are counted from midnight. */
export class TimeOfDay {
  readonly #hours: readonly number[];
  readonly #minutes: readonly number[];
  readonly #seconds: readonly number[];
  /** It means every hour, so it follows real time where clocks are changed. */
  readonly isEveryHour: boolean;

  constructor(seconds: Piece | undefined, minutes: Piece, hours: Piece) {
    this.#hours = parseField(hours, hourShape);
    this.#minutes = parseField(minutes, minuteShape);
    this.#seconds = seconds ? parseField(seconds, secondShape) : [0];
    this.isEveryHour = this.#hours.length === 24;
  }

  get first(): number {
    return (this.#hours[0] ?? 0) * 3600 + (this.#minutes[0] ?? 0) * 60 + (this.#seconds[0] ?? 0);
  }

  get last(): number {
    const [hour = 0, minute = 0, second = 0] = [this.#hours, this.#minutes, this.#seconds].map((all) =>
      all.at(-1),
    );
    return hour * 3600 + minute * 60 + second;
  }

  /** The first second meant from this one on; undefined when the day has no more. */
  from(time: number): number | undefined {
    const hour = Math.floor(time / 3600);
    const minute = Math.floor(time / 60) % 60;
    if (this.#hours.includes(hour)) {
      if (this.#minutes.includes(minute)) {
        const second = atLeast(this.#seconds, time % 60);
        if (second !== undefined) return hour * 3600 + minute * 60 + second;
      }
      const later = atLeast(this.#minutes, minute + 1);
      if (later !== undefined) return hour * 3600 + later * 60 + (this.#seconds[0] ?? 0);
    }
    const later = atLeast(this.#hours, hour + 1);
    return later === undefined ? undefined : later * 3600 + (this.first % 3600);
  }

  /** The last second meant up to this one; undefined when the day has none before. */
  upTo(time: number): number | undefined {
    const hour = Math.floor(time / 3600);
    const minute = Math.floor(time / 60) % 60;
    if (this.#hours.includes(hour)) {
      if (this.#minutes.includes(minute)) {
        const second = atMost(this.#seconds, time % 60);
        if (second !== undefined) return hour * 3600 + minute * 60 + second;
      }
      const earlier = atMost(this.#minutes, minute - 1);
      if (earlier !== undefined) return hour * 3600 + earlier * 60 + (this.last % 60);
    }
    const earlier = atMost(this.#hours, hour - 1);
    return earlier === undefined ? undefined : earlier * 3600 + (this.last % 3600);
  }
}

const atLeast = (values: readonly number[], bound: number): number | undefined =>
  values.find((value) => value >= bound);
const atMost = (values: readonly number[], bound: number): number | undefined =>
  values.findLast((value) => value <= bound);

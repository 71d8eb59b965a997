// Again and again after the same time, counted from a fixed moment so that nothing drifts.
import { parseDuration } from "@kubewright/api";
import type { Piece } from "./field.js";
import type { Schedule } from "./schedule.js";
import { ScheduleError } from "./schedule-error.js";

const nanosecondsPerMillisecond = 1_000_000n;
const second = 1_000;

export class IntervalSchedule implements Schedule {
  readonly #length: number;
  readonly #anchor: number;

  /** Counts from the anchor, which is itself not among the instants. */
  constructor(length: number, anchor: number) {
    this.#length = length;
    this.#anchor = Math.floor(anchor / second) * second;
  }

  next(after: number): number {
    return this.#at(Math.max(1, Math.floor((after - this.#anchor) / this.#length) + 1));
  }

  previous(before: number): number | undefined {
    const count = Math.ceil((before - this.#anchor) / this.#length) - 1;
    return count < 1 ? undefined : this.#at(count);
  }

  #at(count: number): number {
    return this.#anchor + count * this.#length;
  }
}

/** Reads `10m`, `1h30m`: whole seconds. */
export function parseInterval({ text, position }: Piece): number {
  const length = durationOf(text);
  if (length === undefined)
    throw new ScheduleError(
      `"${text}" is no duration; after @every comes one such as 90s, 10m or 1h30m`,
      position,
    );
  if (length >= second && length % second === 0) return length;
  throw new ScheduleError(`@every ${text}: it takes whole seconds, at least one`, position);
}

function durationOf(text: string): number | undefined {
  try {
    return Number(parseDuration(text) / nanosecondsPerMillisecond);
  } catch {
    return undefined;
  }
}

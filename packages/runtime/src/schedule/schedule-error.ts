// Why a text is no schedule, and where in it.

/** A text that is no schedule, a time zone nobody knows, or a schedule that never comes true. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  /** Where in the text the problem is, counted from 0. */
  readonly position: number;

  constructor(message: string, position = 0) {
    super(message);
    this.position = position;
  }
}

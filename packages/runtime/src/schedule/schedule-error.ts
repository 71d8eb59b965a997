// Why a text is no schedule, and where in it.

/** A text that is no schedule, a time zone nobody knows, or a schedule that never comes true. The message says where it is wrong. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  /** Where in the text the problem is, counted from 0; undefined when it is the whole. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (column ${position + 1})`);
    this.position = position;
  }
}

// Why a text is no schedule, and where in it.

/** A text that is no schedule, an unknown time zone, or a schedule that is never due. The message says where it is wrong. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
  /** The position of the problem in the text, counted from 0; undefined when it is the whole. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (column ${position + 1})`);
    this.position = position;
  }
}

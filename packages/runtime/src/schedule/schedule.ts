// The interface of every schedule.

/** Instants at which something is due, in milliseconds since 1970. */
export interface Schedule {
  /** The first one after an instant; undefined when there is none. */
  next(after: number): number | undefined;
  /** The last one before an instant; undefined when there is none. */
  previous(before: number): number | undefined;
}

// The time that is left of a lease, by two clocks. A process that is stopped finds on its monotonic clock how long that was; a machine
// that sleeps may stop that clock, and only the wall clock shows it. The one that shows more time gone counts: a wall clock that jumps
// ahead ends a lease early, which is safe, and one that jumps back changes nothing.
import type { Clock } from "@kubewright/api";

/** A moment on both clocks, in milliseconds. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export const momentOf = (clock: Clock): Moment => ({ monotonic: clock.monotonic(), wall: clock.now() });

/** The milliseconds that are left of a duration that began at a moment; negative when it is over. */
export function timeLeft(clock: Clock, since: Moment, duration: number): number {
  return duration - Math.max(clock.monotonic() - since.monotonic, clock.now() - since.wall);
}

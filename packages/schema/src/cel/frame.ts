// What one evaluation works on, and the form compiled code has.
import type { Meter } from "./values/meter.js";

/** The variables of one evaluation, by slot, and its counters. */
export interface Frame {
  readonly slots: unknown[];
  readonly meter: Meter;
}

export type Run = (frame: Frame) => unknown;

/**
 * Compiled code. `cost` is what running it costs whatever happens inside; whoever runs it has to pay that first. Straight-line
 * code adds its costs up while compiling, so only branches, loops and calls that depend on sizes count while running.
 */
export interface Code {
  readonly run: Run;
  readonly cost: number;
}

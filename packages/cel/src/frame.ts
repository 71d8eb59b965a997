// The state of one evaluation, and the form of compiled code.
import { BudgetExceeded, type Meter } from "./values/meter.js";

/** The variables of one evaluation, by slot, and its counters. */
export interface Frame {
  readonly slots: unknown[];
  readonly meter: Meter;
}

/** Compiled code at work. */
export type Run = (frame: Frame) => unknown;

/**
 * Compiled code. `cost` is what running it costs whatever happens inside; the caller spends that first. Straight-line
 * code adds its costs up while compiling, so only branches, loops and calls that depend on sizes count while running.
 */
export interface Code {
  readonly run: Run;
  readonly cost: number;
}

/** The cost of several pieces of code. */
export function totalCost(codes: readonly Code[]): number {
  return codes.reduce((total, { cost }) => total + cost, 0);
}

/** Throwing and catching a failure takes as long as so many steps. */
const stepsPerFailure = 100;

/** A failure that another operand may outweigh; an exceeded budget is thrown again. */
export function tolerate(problem: unknown, { meter }: Frame): unknown {
  if (problem instanceof BudgetExceeded) throw problem;
  meter.work(stepsPerFailure);
  return problem;
}

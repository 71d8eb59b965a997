// Cost budgets. Cost is counted the way Kubernetes counts it, so a rule that stops here stops there too.

/** The cost limits Kubernetes has for rules. */
export const costLimits = {
  /** One evaluation of one expression. */
  perCall: 1_000_000,
  /** All rules of one object together. */
  perObject: 10_000_000,
  /** Estimated cost of one rule. */
  estimatedPerRule: 10_000_000,
  /** Estimated cost of all rules of one schema. */
  estimatedPerSchema: 100_000_000,
  /** All match conditions of one webhook together. */
  matchConditions: 2_500_000,
} as const;

/** Counts what evaluations spend; one budget serves all rules of one object. */
export interface CelBudget {
  /** Left for all further evaluations; negative once exceeded. */
  remaining: number;
  /** The most one evaluation may cost. */
  readonly perCall: number;
}

/** A fresh budget; without options the one Kubernetes gives the rules of one object. */
export function createBudget(
  limit: number = costLimits.perObject,
  perCall: number = costLimits.perCall,
): CelBudget {
  return { remaining: limit, perCall };
}

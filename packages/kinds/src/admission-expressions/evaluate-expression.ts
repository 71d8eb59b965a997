// One evaluation of a compiled expression: a value, or an error that the failure policy decides about.
import { type CelBudget, CelBudgetError, CelEvaluationError } from "@kubewright/cel";
import type { CompiledExpression } from "./compile-admission-expression.js";

/** The result of an expression. */
export type Evaluation =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string };

/** Everything that was to be evaluated together has cost too much; nothing further runs. */
export class OutOfBudget extends Error {
  override readonly name = "OutOfBudget";

  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

/** The variables of an expression and their values. */
export type Bindings = Readonly<Record<string, unknown>>;

/** Throws OutOfBudget; anything else that goes wrong is in the outcome. */
export function evaluateExpression(
  source: string,
  compiled: CompiledExpression,
  bindings: Bindings,
  budget: CelBudget,
): Evaluation {
  if (!compiled.program) return { error: `compilation error: ${compiled.error}` };
  const outcome = run(compiled.program.evaluate, source, bindings, budget);
  if (budget.remaining < 0) throw new OutOfBudget();
  return outcome;
}

function run(
  evaluate: (bindings: Bindings, budget: CelBudget) => unknown,
  source: string,
  bindings: Bindings,
  budget: CelBudget,
): Evaluation {
  try {
    return { value: evaluate(bindings, budget) };
  } catch (error) {
    if (error instanceof CelBudgetError && error.scope === "object") throw new OutOfBudget();
    if (!(error instanceof CelEvaluationError || error instanceof CelBudgetError)) throw error;
    return { error: `expression '${source}' resulted in error: ${error.message}` };
  }
}

// The `matchConditions` of webhooks and policies.

import type { MatchCondition } from "@kubewright/api";
import { boolType, costLimits, createBudget } from "@kubewright/cel";
import {
  type Bindings,
  type CompiledExpression,
  type ComposedVariables,
  compileAdmissionExpression,
  evaluateExpression,
  OutOfBudget,
} from "@kubewright/kinds";

/** Whether all conditions hold, or the error that keeps it undecided. */
export type ConditionsMatch = boolean | { readonly error: string };

interface Condition {
  readonly source: string;
  readonly compiled: CompiledExpression;
}

export interface MatchConditionsOptions {
  /** Errors count as a mismatch. */
  readonly ignoresErrors: boolean;
  readonly params?: boolean | undefined;
  readonly variables?: ComposedVariables | undefined;
}

/** The conditions of one webhook or policy, compiled. */
export class MatchConditions {
  readonly #conditions: readonly Condition[];
  readonly #ignoresErrors: boolean;
  readonly #variables: ComposedVariables | undefined;

  constructor(conditions: readonly MatchCondition[], options: MatchConditionsOptions) {
    const scope = { params: options.params, authorizer: true, variables: options.variables?.type };
    this.#conditions = conditions.map(({ expression: source }) => ({
      source,
      compiled: compileAdmissionExpression(source, scope, [boolType]),
    }));
    this.#ignoresErrors = options.ignoresErrors;
    this.#variables = options.variables;
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** One false condition decides, whatever errors the others have. */
  evaluate(bindings: Bindings): ConditionsMatch {
    if (this.isEmpty) return true;
    try {
      return this.#evaluate(bindings);
    } catch (error) {
      if (error instanceof OutOfBudget) return this.#failed([error.message]);
      throw error;
    }
  }

  #evaluate(bindings: Bindings): ConditionsMatch {
    const budget = createBudget(costLimits.matchConditions);
    const bound = this.#variables?.bind(bindings, budget) ?? bindings;
    const outcomes = this.#conditions.map(({ source, compiled }) =>
      evaluateExpression(source, compiled, bound, budget),
    );
    if (outcomes.some(({ value }) => value === false)) return false;
    const errors = outcomes.flatMap(({ error }) => error ?? []);
    return errors.length === 0 ? true : this.#failed(errors);
  }

  #failed(errors: readonly string[]): ConditionsMatch {
    if (this.#ignoresErrors) return false;
    const texts = [...new Set(errors)];
    return { error: texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]` };
  }
}

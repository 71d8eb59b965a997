// A ValidatingAdmissionPolicy, compiled: its match conditions, its validations with their messages, its audit annotations.

import {
  type AuditAnnotation,
  utf8Length,
  type ValidatingAdmissionPolicySpec,
  type Validation,
} from "@kubewright/api";
import { boolType, type CelBudget, type CelType, createBudget, nullType, stringType } from "@kubewright/cel";
import {
  type Bindings,
  type CompiledExpression,
  ComposedVariables,
  compileAdmissionExpression,
  type Evaluation,
  type ExpressionScope,
  evaluateExpression,
  OutOfBudget,
} from "@kubewright/kinds";

import { MatchConditions } from "../expressions/match-conditions.js";
import type { PolicyDenial } from "./policy-decision.js";

const maxMessageBytes = 5 * 1024;

interface Rule {
  readonly source: string;
  readonly compiled: CompiledExpression;
}

interface CompiledValidation extends Rule {
  readonly stated: Validation;
  readonly message: Rule | undefined;
}

interface CompiledAnnotation extends Rule {
  readonly key: string;
}

/** The result of evaluating a policy with one set of parameters. */
export interface PolicyOutcome {
  /** The failed validations, for the validationActions of the binding. */
  readonly denials: readonly PolicyDenial[];
  /** Errors of audit annotations, which deny the request whatever the actions. */
  readonly faults: readonly PolicyDenial[];
  /** Audit annotations, by key. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

const passed: PolicyOutcome = { denials: [], faults: [], annotations: [] };
const noAnnotations = { faults: [], annotations: [] };
const maxAnnotationBytes = 10 * 1024;

interface PolicyParts {
  readonly failsOpen: boolean;
  readonly variables: ComposedVariables;
  readonly conditions: MatchConditions;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledAnnotation[];
}

export class CompiledPolicy {
  readonly #failsOpen: boolean;
  readonly #variables: ComposedVariables;
  readonly #conditions: MatchConditions;
  readonly #validations: readonly CompiledValidation[];
  readonly #annotations: readonly CompiledAnnotation[];

  /** Compiles the expressions of a policy. */
  static compile(spec: ValidatingAdmissionPolicySpec): CompiledPolicy {
    const params = spec.paramKind !== undefined;
    const failsOpen = spec.failurePolicy === "Ignore";
    const base = { params, authorizer: true };
    const variables = new ComposedVariables(spec.variables ?? [], base);
    const scope = { ...base, variables: variables.type };
    const conditions = new MatchConditions(spec.matchConditions ?? [], {
      ignoresErrors: failsOpen,
      params,
      variables,
    });
    const validations = (spec.validations ?? []).map((each) => compileValidation(each, scope));
    const annotations = (spec.auditAnnotations ?? []).map((each) => compileAnnotation(each, scope));
    return new CompiledPolicy({ failsOpen, variables, conditions, validations, annotations });
  }

  private constructor(parts: PolicyParts) {
    this.#failsOpen = parts.failsOpen;
    this.#variables = parts.variables;
    this.#conditions = parts.conditions;
    this.#validations = parts.validations;
    this.#annotations = parts.annotations;
  }

  /** `matching` are the bindings conditions see, which know no namespace. */
  evaluate(matching: Bindings, bindings: Bindings): PolicyOutcome {
    const matches = this.#conditions.evaluate(matching);
    if (matches === false) return passed;
    if (matches !== true) return this.#failed(matches.error);
    try {
      return { denials: this.#validate(bindings), ...this.#annotate(bindings) };
    } catch (error) {
      if (error instanceof OutOfBudget) return this.#failed(error.message);
      throw error;
    }
  }

  #failed(message: string): PolicyOutcome {
    return { ...passed, denials: this.#failsOpen ? [] : [{ message }] };
  }

  #validate(bindings: Bindings): PolicyDenial[] {
    const budget = createBudget();
    const bound = this.#variables.bind(bindings, budget);
    const outcomes = this.#validations.map((rule) => evaluate(rule, bound, budget));
    if (outcomes.every(({ value }) => value === true)) return [];
    // Messages have their own view of the variables, and what is left of the budget.
    const seen = this.#variables.bind(bindings, budget);
    return this.#validations.flatMap((validation, index) => {
      const { value, error } = outcomes[index] ?? {};
      if (value === true) return [];
      if (error !== undefined) return this.#failsOpen ? [] : [{ message: error, index }];
      return [{ message: messageOf(validation, seen, budget), reason: validation.stated.reason, index }];
    });
  }

  #annotate(bindings: Bindings): Pick<PolicyOutcome, "faults" | "annotations"> {
    if (this.#annotations.length === 0) return noAnnotations;
    const budget = createBudget();
    const bound = this.#variables.bind(bindings, budget);
    const outcomes = this.#annotations.map((rule) => ({ ...evaluate(rule, bound, budget), key: rule.key }));
    const faults = outcomes.flatMap(({ error }) => (error === undefined ? [] : [{ message: error }]));
    return {
      faults: this.#failsOpen ? [] : faults,
      annotations: outcomes.flatMap(({ key, value }) => {
        const text = typeof value === "string" ? value.trim() : "";
        return text === "" ? [] : [[key, text.slice(0, maxAnnotationBytes)] as const];
      }),
    };
  }
}

const evaluate = ({ source, compiled }: Rule, bindings: Bindings, budget: CelBudget): Evaluation =>
  evaluateExpression(source, compiled, bindings, budget);

function compileRule(source: string, scope: ExpressionScope, returns: readonly CelType[]): Rule {
  return { source, compiled: compileAdmissionExpression(source, scope, returns) };
}

function compileValidation(stated: Validation, scope: ExpressionScope): CompiledValidation {
  const { expression, messageExpression } = stated;
  return {
    ...compileRule(expression, scope, [boolType]),
    stated,
    message: messageExpression
      ? compileRule(messageExpression, { ...scope, authorizer: false }, [stringType])
      : undefined,
  };
}

function compileAnnotation(
  { key, valueExpression }: AuditAnnotation,
  scope: ExpressionScope,
): CompiledAnnotation {
  return { ...compileRule(valueExpression, scope, [stringType, nullType]), key };
}

/** The result of messageExpression if it is one line of allowed length, else `message`, else the expression itself. */
function messageOf({ stated, message }: CompiledValidation, bindings: Bindings, budget: CelBudget): string {
  const computed = message && evaluate(message, bindings, budget).value;
  const line = typeof computed === "string" ? computed.trim() : "";
  const fits = utf8Length(line) <= maxMessageBytes && !line.includes("\n");
  if (line !== "" && fits) return line;
  return stated.message?.trim() || `failed expression: ${stated.expression.trim()}`;
}

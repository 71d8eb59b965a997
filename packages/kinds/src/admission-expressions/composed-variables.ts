// `variables` of a policy: named expressions that others build on. Each is evaluated when it is first read, if ever.

import {
  type CelBudget,
  CelBudgetError,
  CelEvaluationError,
  type CelField,
  type CelType,
  dynType,
  listType,
  mapType,
  objectType,
} from "@kubewright/cel";
import type { ExpressionScope } from "./admission-types.js";
import { type CompiledExpression, compileAdmissionExpression } from "./compile-admission-expression.js";
import type { Bindings } from "./evaluate-expression.js";

/** A variable as a policy states it. */
export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** A value that has been computed; in a box, because the value of a variable can be null. */
class Computed {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

const unboxed = { isPlain: false, read: (box: unknown) => (box instanceof Computed ? box.value : box) };

/** The variables of one policy, compiled; a variable can use those before it. */
export class ComposedVariables {
  readonly type: CelType;
  readonly #compiled = new Map<string, CompiledExpression>();
  readonly #fields = new Map<string, CelField>();
  readonly #scope: ExpressionScope;

  constructor(variables: readonly NamedExpression[], scope: ExpressionScope) {
    const type = objectType("kubernetes.variables", () => this.#fields);
    this.type = { ...type, shape: { isPlain: true, read: (json) => json } };
    this.#scope = { ...scope, variables: this.type };
    for (const variable of variables) this.add(variable);
  }

  /** Compiles one more variable, which can use those before it. */
  add({ name, expression }: NamedExpression): CompiledExpression {
    const compiled = compileAdmissionExpression(expression, this.#scope, []);
    const fieldType = { ...seenThrough(compiled.program?.resultType), shape: unboxed };
    this.#fields.set(name, { name, property: name, type: fieldType, required: true });
    this.#compiled.set(name, compiled);
    return compiled;
  }

  /** The bindings with `variables` among them. What they cost is taken from the budget. */
  bind(bindings: Bindings, budget: CelBudget): Bindings {
    if (this.#compiled.size === 0) return bindings;
    const variables = {};
    const all = { ...bindings, variables };
    for (const [name, compiled] of this.#compiled) {
      let box: Computed | undefined;
      Object.defineProperty(variables, name, {
        enumerable: true,
        get() {
          box ??= new Computed(compute(name, compiled, all, budget));
          return box;
        },
      });
    }
    return all;
  }
}

function compute(name: string, compiled: CompiledExpression, bindings: Bindings, budget: CelBudget): unknown {
  if (!compiled.program)
    throw new CelEvaluationError(`composited variable "${name}" fails to compile: ${compiled.error}`);
  try {
    return compiled.program.evaluate(bindings, budget);
  } catch (error) {
    if (!(error instanceof CelEvaluationError || error instanceof CelBudgetError)) throw error;
    throw new CelEvaluationError(`composited variable "${name}" fails to evaluate: ${error.message}`);
  }
}

const kept: ReadonlySet<CelType["kind"]> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "null",
  "string",
  "timestamp",
  "uint",
]);

/** Simple types, lists and maps keep their type when seen through `variables`; anything else is dynamic. */
function seenThrough(type: CelType | undefined): CelType {
  if (!type) return dynType;
  const [first = dynType, second = dynType] = type.params;
  if (type.kind === "list") return listType(seenThrough(first));
  if (type.kind === "map") return mapType(seenThrough(first), seenThrough(second));
  if (!kept.has(type.kind)) return dynType;
  const { shape: _shape, ...plain } = type;
  return plain;
}

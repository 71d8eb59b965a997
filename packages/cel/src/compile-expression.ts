// From source text to a program: parse, check, estimate, compile.
import type { CelBudget } from "./budget.js";
import { type CheckedExpr, checkExpr } from "./checker.js";
import { Compiler } from "./compile.js";
import { convertConstants } from "./constant-conversions.js";
import { estimateCost } from "./cost-estimate.js";
import { environmentWith } from "./environment.js";
import { CelBudgetError, CelCompileError, CelEvaluationError } from "./errors.js";
import type { Code } from "./frame.js";
import { validateLiterals } from "./literal-validators.js";
import { parse } from "./parser.js";
import type { CelProgram, CompileOptions } from "./program.js";
import { shapeOf } from "./shape.js";
import { Source } from "./source.js";
import { sameType } from "./type-unifier.js";
import { type CelType, formatType } from "./types.js";
import { CelFailure } from "./values/failure.js";
import { BudgetExceeded, Meter } from "./values/meter.js";
import type { Shape } from "./values/view.js";

/**
 * Compiles an expression; throws a CelCompileError that shows where it is wrong.
 *
 * @example
 * const program = compileExpression("object.spec.replicas <= 5", { variables: { object: dynType }, resultType: boolType });
 * program.evaluate({ object: { spec: { replicas: 3 } } }, createBudget()); // true
 */
export function compileExpression(text: string, options: CompileOptions): CelProgram {
  const extensions = options.extensions ?? [];
  const source = new Source(text);
  const variables = new Map(Object.entries(options.variables));
  const expr = parse(source, { bindings: extensions.includes("bindings") });
  const checked = checkExpr(expr, source, environmentWith(extensions), variables, options.structs);
  validateLiterals(checked, source);
  const { resultType } = options;
  if (resultType !== undefined && !sameType(checked.type, resultType)) {
    const message = `expected type '${formatType(resultType)}' but found '${formatType(checked.type)}'`;
    throw source.error([{ offset: expr.offset, message }]);
  }
  const compiler = new Compiler(checked, [...variables.keys()]);
  const code = generate(compiler, checked);
  const cost = estimateCost(checked, variables);
  const inputs = readers(variables);
  return {
    source: text,
    resultType: checked.type,
    references: checked.references,
    cost,
    evaluate: (bindings, budget) => evaluate(code, inputs, bindings, budget),
  };
}

/** Literals are worked on ahead, so a bad pattern or conversion shows here. */
function generate(compiler: Compiler, checked: CheckedExpr): Code {
  try {
    convertConstants(checked);
    return compiler.compile(checked.expr);
  } catch (problem) {
    if (!(problem instanceof CelFailure)) throw problem;
    throw new CelCompileError(`program instantiation failed: ${problem.message}`, []);
  }
}

interface Input {
  readonly name: string;
  readonly shape: Shape;
  /** Bound or not, an optional variable has a value. */
  readonly isOptional: boolean;
}

type Inputs = readonly Input[];

function readers(variables: ReadonlyMap<string, CelType>): Inputs {
  return Array.from(variables, ([name, type]) => ({
    name,
    shape: shapeOf(type),
    isOptional: type.kind === "optional",
  }));
}

function evaluate(
  code: Code,
  inputs: Inputs,
  bindings: Readonly<Record<string, unknown>>,
  budget: CelBudget,
): unknown {
  const meter = new Meter(Math.min(budget.perCall, budget.remaining));
  const slots: unknown[] = [];
  try {
    for (const { name, shape, isOptional } of inputs) {
      const value = bindings[name];
      slots.push(value === undefined && !isOptional ? undefined : shape.read(value));
    }
    meter.spend(code.cost);
    return code.run({ slots, meter });
  } catch (problem) {
    throw asError(problem, budget);
  } finally {
    budget.remaining -= meter.spent;
  }
}

function asError(problem: unknown, budget: CelBudget): Error {
  // Strings, lists and recursion have their own limits in JavaScript; running into one is a matter of cost, too.
  if (problem instanceof BudgetExceeded || problem instanceof RangeError) {
    const scope = budget.remaining < budget.perCall ? "object" : "call";
    return new CelBudgetError("operation cancelled: actual cost limit exceeded", scope);
  }
  if (problem instanceof CelFailure) return new CelEvaluationError(problem.message);
  // Only data that is not what its declared type says can make the code for that type stumble.
  if (problem instanceof TypeError) return new CelEvaluationError("no such overload", { cause: problem });
  throw problem;
}

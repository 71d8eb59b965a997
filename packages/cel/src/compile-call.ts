// Calls: operators get code for the types at hand, everything else runs the overloads the checker chose.
import type { CallExpr, Expr } from "./ast.js";
import type { Compiler } from "./compile.js";
import { compileIndex } from "./compile-index.js";
import { compileConditional, compileLogical } from "./compile-logic.js";
import { compileOperator } from "./compile-operator.js";
import { compileOptionalSelect } from "./compile-select.js";
import type { Invoke, Overload } from "./declarations.js";
import { type Code, type Run, totalCost } from "./frame.js";
import { mismatch } from "./guards.js";
import { noSuchOverload } from "./values/failure.js";
import { Optional } from "./values/optional.js";
import { typeNameOf } from "./values/value.js";

/** Compiles a call: an operator with code of its own, or an overload. */
export function compileCall(compiler: Compiler, expr: CallExpr): Code {
  const [first, second] = expr.args;
  if (first !== undefined && second !== undefined) {
    switch (expr.name) {
      case "_&&_":
        return compileLogical(compiler, first, second, false);
      case "_||_":
        return compileLogical(compiler, first, second, true);
      case "_?_:_":
        return compileConditional(compiler, expr);
      case "_[_]":
        return compileIndex(compiler, first, second, false);
      case "_[?_]":
        return compileIndex(compiler, first, second, true);
      case "_?._":
        if (second.kind === "literal" && typeof second.value === "string") {
          return compileOptionalSelect(compiler, first, second.value);
        }
    }
  }
  if (first !== undefined && expr.target !== undefined && (expr.name === "or" || expr.name === "orValue")) {
    return compileAlternative(compiler, expr.target, first, expr.name === "orValue");
  }
  return compileOperator(compiler, expr) ?? compileFunction(compiler, expr);
}

function operandsOf(compiler: Compiler, expr: CallExpr): readonly Expr[] {
  const { target, args } = expr;
  return target === undefined || compiler.checked.isNamespaced(expr) ? args : [target, ...args];
}

/** `optional.or(other)` and `optional.orValue(value)`: the argument is evaluated only when it is needed. */
function compileAlternative(compiler: Compiler, target: Expr, other: Expr, unwrap: boolean): Code {
  const optional = compiler.compile(target);
  const fallback = compiler.compile(other);
  const run: Run = (frame) => {
    const value = optional.run(frame);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.hasValue) return unwrap ? value.value : value;
    frame.meter.spend(fallback.cost);
    return fallback.run(frame);
  };
  return { run, cost: optional.cost + 1 };
}

function compileFunction(compiler: Compiler, expr: CallExpr): Code {
  const operands = operandsOf(compiler, expr);
  const overloads = compiler.checked.overloadsOf(expr).map((overload) => prepared(overload, operands));
  const codes = operands.map((operand) => compiler.compile(operand));
  const runs = codes.map(({ run }) => run);
  const [only] = overloads;
  const cost = totalCost(codes);
  if (only !== undefined && overloads.length === 1 && only.cost === undefined) {
    return { run: fixedPrice(expr.name, only, runs), cost: cost + 1 };
  }
  return { run: dispatch(expr.name, overloads, runs), cost };
}

/** The overload with what its literal arguments allow to be done ahead. */
function prepared(overload: Overload, operands: readonly Expr[]): Overload {
  const literals = operands.map((operand) => (operand.kind === "literal" ? operand.value : undefined));
  const invoke = overload.prepare?.(literals) ?? constantInvoke(overload, operands);
  return invoke === undefined ? overload : { ...overload, invoke };
}

/** Functions have no effects, so a call of literals always gives the same: `quantity('1Gi')` is parsed once. */
function constantInvoke({ invoke }: Overload, operands: readonly Expr[]): Invoke | undefined {
  if (operands.length === 0 || !operands.every((operand) => operand.kind === "literal")) return undefined;
  let result: unknown = mismatch;
  return (args, meter) => {
    if (result === mismatch) result = invoke(args, meter);
    return result;
  };
}

function fixedPrice(name: string, overload: Overload, runs: readonly Run[]): Run {
  const { invoke } = overload;
  return (frame) => {
    const args = runs.map((run) => run(frame));
    const result = invoke(args, frame.meter);
    if (result === mismatch) throw noOverloadFor(name, args);
    return result;
  };
}

/** Tries the overloads in order; most calls have one. */
function dispatch(name: string, overloads: readonly Overload[], runs: readonly Run[]): Run {
  return (frame) => {
    const args = runs.map((run) => run(frame));
    for (const overload of overloads) {
      const result = overload.invoke(args, frame.meter);
      if (result === mismatch) continue;
      frame.meter.spend(overload.cost === undefined ? 1 : overload.cost(args, result));
      return result;
    }
    throw noOverloadFor(name, args);
  };
}

/** Functions name the call that found no taker; operators say no more than that. */
function noOverloadFor(name: string, args: readonly unknown[]): unknown {
  return noSuchOverload(
    /^\w/.test(name) && !name.startsWith("_") ? `${name}(${args.map(typeNameOf).join(", ")})` : undefined,
  );
}

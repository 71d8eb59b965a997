// Operators whose operand types are known when compiling. What is left (operands of dynamic type, rare types) runs the overloads
// of the library.
import type { CallExpr } from "./ast.js";
import type { Compiler } from "./compile.js";
import { price } from "./cost.js";
import type { Code, Run } from "./frame.js";
import type { CelType } from "./types.js";
import { equals } from "./values/equality.js";
import { noSuchOverload } from "./values/failure.js";
import { addInt, type Int, isInt, multiplyInt, subtractInt } from "./values/int.js";
import { sizeOf } from "./values/value.js";

/** Code for an operator, or undefined when the library has to do it. */
export function compileOperator(compiler: Compiler, expr: CallExpr): Code | undefined {
  if (expr.target !== undefined) return undefined;
  const [left, right] = expr.args;
  if (left === undefined) return undefined;
  const types = expr.args.map((arg) => compiler.checked.typeOf(arg));
  if (right === undefined) return expr.name === "!_" ? compileNot(compiler.compile(left)) : undefined;
  const build = binary(expr.name, types[0], types[1]);
  return build?.(compiler.compile(left), compiler.compile(right));
}

type Build = (left: Code, right: Code) => Code;

function binary(name: string, left: CelType | undefined, right: CelType | undefined): Build | undefined {
  if (name === "_==_") return equality(left, right, true);
  if (name === "_!=_") return equality(left, right, false);
  if (left?.kind !== "int" || right?.kind !== "int") return undefined;
  return intComparison(name) ?? intArithmetic(name);
}

function compileNot({ run: operand, cost }: Code): Code {
  const run: Run = (frame) => {
    const value = operand(frame);
    if (typeof value !== "boolean") throw noSuchOverload();
    return !value;
  };
  return { run, cost: cost + 1 };
}

function equality(left: CelType | undefined, right: CelType | undefined, expected: boolean): Build {
  const isFixed = (type: CelType | undefined): boolean => type?.kind === "int" || type?.kind === "bool";
  if (isFixed(left) && left?.kind === right?.kind) {
    // Ints have one form each, so identity is equality.
    return (a, b) => ({
      run: (frame) => (a.run(frame) === b.run(frame)) === expected,
      cost: a.cost + b.cost + 1,
    });
  }
  if (left?.kind === "string" && right?.kind === "string") return stringEquality(expected);
  return (a, b) => ({ run: deepEquality(a.run, b.run, expected), cost: a.cost + b.cost });
}

function stringEquality(expected: boolean): Build {
  return ({ run: first, cost: firstCost }, { run: second, cost: secondCost }) => {
    const run: Run = (frame) => {
      const x = first(frame);
      const y = second(frame);
      frame.meter.spend(traversalPrice(Math.min(sizeOf(x), sizeOf(y))));
      return (x === y) === expected;
    };
    return { run, cost: firstCost + secondCost };
  };
}

function deepEquality(first: Run, second: Run, expected: boolean): Run {
  return (frame) => {
    const x = first(frame);
    const y = second(frame);
    frame.meter.spend(traversalPrice(Math.min(sizeOf(x), sizeOf(y))));
    return equals(x, y, frame.meter) === expected;
  };
}

const traversalPrice = (size: number): number => Math.ceil(size * price.traversal);

function intComparison(name: string): Build | undefined {
  const test = comparisons[name];
  if (test === undefined) return undefined;
  return ({ run: first, cost: firstCost }, { run: second, cost: secondCost }) => ({
    run: (frame) => test(first(frame), second(frame)),
    cost: firstCost + secondCost + 1,
  });
}

type Comparison = (x: unknown, y: unknown) => boolean;

/** JavaScript orders numbers and bigints as they should be. */
const comparisons: Readonly<Record<string, Comparison>> = {
  "_<_": (x, y) => (isInt(x) && isInt(y) ? x < y : mixed()),
  "_<=_": (x, y) => (isInt(x) && isInt(y) ? x <= y : mixed()),
  "_>_": (x, y) => (isInt(x) && isInt(y) ? x > y : mixed()),
  "_>=_": (x, y) => (isInt(x) && isInt(y) ? x >= y : mixed()),
};

/** Even where the schema says int, a list may hold a null. */
function mixed(): never {
  throw noSuchOverload();
}

const arithmetic: Readonly<Record<string, (x: Int, y: Int) => Int>> = {
  "_+_": addInt,
  "_-_": subtractInt,
  "_*_": multiplyInt,
};

function intArithmetic(name: string): Build | undefined {
  const compute = arithmetic[name];
  if (compute === undefined) return undefined;
  return ({ run: first, cost: firstCost }, { run: second, cost: secondCost }) => ({
    run: (frame) => {
      const x = first(frame);
      const y = second(frame);
      return isInt(x) && isInt(y) ? compute(x, y) : mixed();
    },
    cost: firstCost + secondCost + 1,
  });
}

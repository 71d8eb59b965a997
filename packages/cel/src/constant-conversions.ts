// Conversions of constants: Kubernetes carries them out when a program is made, so that `int("x")` is found before an object arrives.
import type { CallExpr, Expr } from "./ast.js";
import type { CheckedExpr } from "./checker.js";
import { Compiler } from "./compile.js";
import { childrenOf } from "./literal-validators.js";
import { Meter } from "./values/meter.js";

const conversions = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

/** Throws the CelFailure of a conversion that can never succeed. */
export function convertConstants(checked: CheckedExpr): void {
  const visit = (expr: Expr): void => {
    for (const child of childrenOf(expr)) visit(child);
    if (isConstantConversion(expr)) run(checked, expr);
  };
  visit(checked.expr);
}

const isConstantConversion = (expr: Expr): expr is CallExpr =>
  expr.kind === "call" &&
  expr.target === undefined &&
  expr.args.length === 1 &&
  conversions.has(expr.name) &&
  expr.args.every((arg) => arg.kind === "literal" || isConstantConversion(arg));

/** More than any conversion of a literal costs. */
const enough = 1_000_000_000;

function run(checked: CheckedExpr, expr: Expr): void {
  const code = new Compiler(checked, []).compile(expr);
  code.run({ slots: [], meter: new Meter(enough) });
}

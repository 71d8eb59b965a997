// `&&`, `||` and `?:`. The first two are commutative in CEL: one side that decides outweighs a failure of the other.
import type { CallExpr, Expr } from "./ast.js";
import type { Compiler } from "./compile.js";
import { type Code, type Frame, type Run, tolerate } from "./frame.js";
import { noSuchOverload } from "./values/failure.js";

/** `decisive` is the value that settles the matter: true for `||`, false for `&&`. */
export function compileLogical(compiler: Compiler, left: Expr, right: Expr, decisive: boolean): Code {
  const a = compiler.compile(left);
  const b = compiler.compile(right);
  const { run: first } = a;
  const { run: second, cost } = b;
  const run: Run = (frame) => {
    let value: unknown;
    let failure: unknown;
    try {
      value = first(frame);
      if (value === decisive) return decisive;
    } catch (problem) {
      failure = tolerate(problem, frame);
    }
    frame.meter.spend(cost);
    const other = failure === undefined ? second(frame) : secondChance(second, frame, failure);
    if (other === decisive) return decisive;
    if (failure !== undefined) throw failure;
    if (value !== !decisive || other !== !decisive) throw noSuchOverload();
    return other;
  };
  return { run, cost: a.cost };
}

/** When both sides fail, the first failure is reported. */
function secondChance(second: Run, frame: Frame, failure: unknown): unknown {
  try {
    return second(frame);
  } catch (problem) {
    tolerate(problem, frame);
    throw failure;
  }
}

/** Compiles `a ? b : c`. */
export function compileConditional(compiler: Compiler, expr: CallExpr): Code {
  const [condition, yes, no] = expr.args.map((arg) => compiler.compile(arg));
  if (condition === undefined || yes === undefined || no === undefined)
    throw new RangeError("not a conditional");
  const run: Run = (frame) => {
    const value = condition.run(frame);
    if (typeof value !== "boolean") throw noSuchOverload();
    const chosen = value ? yes : no;
    frame.meter.spend(chosen.cost);
    return chosen.run(frame);
  };
  return { run, cost: condition.cost };
}

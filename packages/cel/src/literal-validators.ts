// Checks that need values, not types: literals that are no duration, no time or no pattern, and lists of mixed types. Kubernetes
// makes them when a rule is written, so a typo is found before an object arrives.
import type { CallExpr, Expr } from "./ast.js";
import type { CheckedExpr } from "./checker.js";
import { validateFormat } from "./format-validator.js";
import { compileRegex } from "./regex.js";
import type { Source, SourceIssue } from "./source.js";
import { sameType } from "./type-unifier.js";
import { type CelType, dynType, formatType } from "./types.js";
import { parseDuration, parseTimestamp } from "./values/temporal.js";

/** Throws a CelCompileError for literals that cannot work. */
export function validateLiterals(checked: CheckedExpr, source: Source): void {
  const issues: SourceIssue[] = [];
  visit(checked.expr, undefined, (expr, parent) => {
    if (expr.kind === "call") {
      validateArgument(expr, issues);
      issues.push(...validateFormat(expr, checked));
    }
    for (const values of alikeValues(expr, parent)) validateSameType(values, checked, issues);
  });
  if (issues.length > 0) throw source.error(issues);
}

/** The groups of values in a literal that must be of one type. A list of arguments to format() may mix types. */
function alikeValues(expr: Expr, parent: Expr | undefined): readonly (readonly Expr[])[] {
  if (expr.kind === "map")
    return [expr.entries.map(({ key }) => key), expr.entries.map(({ value }) => value)];
  const isFormatArgument = parent?.kind === "call" && parent.name === "format" && parent.target !== undefined;
  return expr.kind === "list" && !isFormatArgument ? [expr.elements.map(({ value }) => value)] : [];
}

/** Whether the text is a good argument to the function; undefined for functions that take any. */
function isGoodArgument(name: string, text: string): boolean | undefined {
  switch (name) {
    case "duration":
      return parseDuration(text) !== undefined;
    case "timestamp":
      return parseTimestamp(text) !== undefined;
    case "matches":
      return compileRegex(text) !== undefined;
    default:
      return undefined;
  }
}

function validateArgument(call: CallExpr, issues: SourceIssue[]): void {
  const arg = call.name === "matches" ? call.args.at(-1) : call.args[0];
  if (arg?.kind !== "literal" || typeof arg.value !== "string") return;
  if (isGoodArgument(call.name, arg.value) === false) {
    issues.push({ offset: arg.offset, message: `invalid ${call.name} argument` });
  }
}

function validateSameType(values: readonly Expr[], checked: CheckedExpr, issues: SourceIssue[]): void {
  const bare = (expr: Expr): CelType => {
    const type = checked.typeOf(expr);
    return type.kind === "optional" ? (type.params[0] ?? dynType) : type;
  };
  const [first] = values;
  if (first === undefined) return;
  const expected = bare(first);
  const odd = values.find((value) => !sameType(bare(value), expected));
  if (odd === undefined) return;
  const message = `expected type '${formatType(expected)}' but found '${formatType(bare(odd))}'`;
  issues.push({ offset: odd.offset, message });
}

/** Calls `check` for every expression and the one it is in, from the outside to the inside. */
function visit(
  expr: Expr,
  parent: Expr | undefined,
  check: (expr: Expr, parent: Expr | undefined) => void,
): void {
  check(expr, parent);
  for (const child of childrenOf(expr)) visit(child, expr, check);
}

/** The expressions an expression is made of. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements.map(({ value }) => value);
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.init, expr.step, expr.result];
    default:
      return [];
  }
}

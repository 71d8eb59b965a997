// Checks that need values, not types: literals that are no duration, no time or no pattern, and lists of mixed types. Kubernetes
// makes them when a rule is written, so a typo is found before an object arrives.
import { Pace } from "@kubewright/api/steps";
import { type CallExpr, type Expr, expressionsPerStep, isLeaf } from "./ast.js";
import type { CheckedExpr } from "./checker.js";
import { validateFormat } from "./format-validator.js";
import { compileRegex } from "./regex.js";
import type { Source, SourceIssue } from "./source.js";
import { sameType } from "./type-unifier.js";
import { type CelType, dynType, formatType } from "./types.js";
import { parseDuration, parseTimestamp } from "./values/temporal.js";

/** Throws a CelCompileError for literals that cannot work. Pauses now and then. */
export function literalSteps(checked: CheckedExpr, source: Source): void {
  const issues: SourceIssue[] = [];
  const pace = new Pace(expressionsPerStep);
  for (const [expr, parent] of visited(checked.expr, undefined)) {
    // A pattern may take as long as all the rest.

    if (expr.kind === "call") {
      validateArgument(expr, issues);
      issues.push(...validateFormat(expr, checked));
    }
    // A list of arguments to format() may mix types.
    const isFormatArgument =
      parent?.kind === "call" && parent.name === "format" && parent.target !== undefined;
    if (expr.kind === "list" && !isFormatArgument) {
      validateSameType(
        expr.elements.map(({ value }) => value),
        checked,
        issues,
      );
    }
    if (expr.kind === "map") {
      validateSameType(
        expr.entries.map(({ key }) => key),
        checked,
        issues,
      );
      validateSameType(
        expr.entries.map(({ value }) => value),
        checked,
        issues,
      );
    }
  }
  if (issues.length > 0) throw source.error(issues);
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

/** Every expression and what it is in, from the outside to the inside. */
function* visited(
  expr: Expr,
  parent: Expr | undefined,
): Generator<readonly [expr: Expr, parent: Expr | undefined]> {
  yield [expr, parent];
  for (const child of children(expr)) {
    if (isLeaf(child)) yield [child, expr];
    else yield* visited(child, expr);
  }
}

function children(expr: Expr): readonly Expr[] {
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

// For tests: compiles and evaluates in one step, and shows values as plain JavaScript.
import { createBudget } from "../budget.js";
import { compileExpression } from "../compile-expression.js";
import type { CelExtension } from "../environment.js";
import type { CelType } from "../types.js";
import { Double, Uint } from "../values/int.js";
import { isList, listValues } from "../values/list.js";
import { mapGet, mapKeys } from "../values/map.js";
import { Meter } from "../values/meter.js";
import { OpaqueValue, TypeValue } from "../values/opaque.js";
import { Optional } from "../values/optional.js";
import { Duration, formatDuration, formatTimestamp, Timestamp } from "../values/temporal.js";
import { isMap } from "../values/value.js";

/** Options of `evaluate`. */
export interface EvaluateOptions {
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly extensions?: readonly CelExtension[];
}

/** The value of an expression, shown plainly. */
export function evaluate(source: string, options: EvaluateOptions = {}): unknown {
  const { variables = {}, bindings = {}, extensions } = options;
  return show(compileExpression(source, { variables, extensions }).evaluate(bindings, createBudget()));
}

/** The cost of an evaluation. */
export function costOf(source: string, options: EvaluateOptions = {}): number {
  const { variables = {}, bindings = {}, extensions } = options;
  const budget = createBudget();
  const before = budget.remaining;
  compileExpression(source, { variables, extensions }).evaluate(bindings, budget);
  return before - budget.remaining;
}

/** Doubles show as `{ double }`, so that `1` and `1.0` differ. */
export function show(value: unknown): unknown {
  if (value instanceof Double) return { double: value.value };
  if (value instanceof Uint) return { uint: Number(value.value) };
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Optional) return value.hasValue ? { some: show(value.value) } : "none";
  if (value instanceof TypeValue) return `type ${value.name}`;
  if (value instanceof OpaqueValue || value instanceof Uint8Array) return value;
  if (isList(value)) return listValues(value, new Meter(0)).map(show);
  if (!isMap(value)) return value;
  return Object.fromEntries(mapKeys(value).map((key) => [String(key), show(mapGet(value, key))]));
}

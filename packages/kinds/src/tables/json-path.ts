// The JSONPath of printer columns: what client-go's dialect lets CustomResourceDefinitions use. Paths come from users,
// so parsing is linear, and nothing in them runs as code or as a regular expression.
import type { JsonValue } from "@kubewright/api";
import { parseJsonPath } from "./json-path-parser.js";

/** One step of a path. */
export type PathStep =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "descend" }
  | { readonly kind: "union"; readonly steps: readonly PathStep[] }
  | { readonly kind: "slice"; readonly from?: number; readonly to?: number; readonly step?: number }
  | { readonly kind: "index"; readonly index: number }
  | {
      readonly kind: "filter";
      readonly left: Operand;
      readonly operator: FilterOperator;
      readonly right?: Operand;
    };

export type FilterOperator = "exists" | "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A side of a comparison: a path from the item, or a literal. */
export type Operand =
  | { readonly kind: "path"; readonly steps: readonly PathStep[] }
  | { readonly kind: "literal"; readonly value: string | number | boolean };

/** Values a path may lead to. */
const maxResults = 10_000;

/** A compiled path. */
export class JsonPath {
  readonly #steps: readonly PathStep[];

  private constructor(steps: readonly PathStep[]) {
    this.#steps = steps;
  }

  /** Whether it may lead to more than one place. */
  get isManifold(): boolean {
    return this.#steps.some(({ kind }) => kind !== "field" && kind !== "index");
  }

  /** Compiles a path such as `.spec.ports[0].name`; undefined when it is none. */
  static parse(text: string): JsonPath | undefined {
    const steps = parseJsonPath(text);
    return steps && new JsonPath(steps);
  }

  /** The values the path leads to; none when something on the way is missing. */
  find(root: JsonValue): readonly JsonValue[] {
    try {
      return evaluate([root], this.#steps);
    } catch (error) {
      if (error instanceof PathMismatch) return [];
      throw error;
    }
  }
}

/** The path does not fit the object: client-go gives up on the whole path then. */
class PathMismatch extends Error {}

function evaluate(start: readonly JsonValue[], steps: readonly PathStep[]): readonly JsonValue[] {
  let values = start;
  for (const step of steps) {
    values = values.flatMap((value) => take(value, step));
    if (values.length > maxResults) throw new PathMismatch();
  }
  return values;
}

function take(value: JsonValue, step: PathStep): readonly JsonValue[] {
  switch (step.kind) {
    case "field":
      return present(fieldOf(value, step.name));
    case "wildcard":
      return childrenOf(value);
    case "descend":
      return descendants(value);
    case "union":
      return step.steps.flatMap((inner) => take(value, inner));
    case "index":
      return [itemAt(value, step.index)];
    case "slice":
      return sliceOf(value, step);
    case "filter":
      return listOf(value).filter((item) => holds(item, step));
  }
}

function fieldOf(value: JsonValue, name: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name)
    ? (value as { readonly [key: string]: JsonValue | undefined })[name]
    : undefined;
}

const present = (value: JsonValue | undefined): readonly JsonValue[] => (value === undefined ? [] : [value]);

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).filter((child) => child !== undefined);
}

function descendants(value: JsonValue): readonly JsonValue[] {
  const found: JsonValue[] = [value];
  for (let i = 0; i < found.length && found.length <= maxResults; i++) {
    const next = found[i];
    if (next !== undefined) found.push(...childrenOf(next));
  }
  return found;
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (!isList(value)) throw new PathMismatch();
  return value;
}

function itemAt(value: JsonValue, index: number): JsonValue {
  const item = listOf(value).at(index);
  if (item === undefined) throw new PathMismatch();
  return item;
}

function sliceOf(
  value: JsonValue,
  { from, to, step = 1 }: Extract<PathStep, { kind: "slice" }>,
): readonly JsonValue[] {
  const items = listOf(value).slice(from ?? 0, to);
  return step <= 1 ? items : items.filter((_item, i) => i % step === 0);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function holds(item: JsonValue, { left, operator, right }: Extract<PathStep, { kind: "filter" }>): boolean {
  const lefts = operandOf(item, left);
  if (operator === "exists") return lefts.length > 0;
  const rights = right === undefined ? [] : operandOf(item, right);
  if (lefts.length > 1 || rights.length > 1) throw new PathMismatch();
  const [a] = lefts;
  const [b] = rights;
  if (a === undefined || b === undefined) return false;
  if (typeof a !== typeof b || typeof a === "object") throw new PathMismatch();
  return compare(a, b, operator);
}

function operandOf(item: JsonValue, operand: Operand): readonly JsonValue[] {
  return operand.kind === "literal" ? [operand.value] : evaluate([item], operand.steps);
}

function compare(a: JsonValue, b: JsonValue, operator: Exclude<FilterOperator, "exists">): boolean {
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  if (a === null || b === null) return false;
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}

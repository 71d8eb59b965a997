// The sizes that the cost estimator knows: where in the schema a value comes from, how large literals are, what loops and bindings
// hold. Sizes come from the schema by way of paths: `self.items[0].name` is the path [self, items, @items, name].
import type { Expr } from "./ast.js";
import type { CheckedExpr } from "./checker.js";
import { fixed, type Range, unknownSize } from "./cost.js";
import type { CelType } from "./types.js";

/** The path of a value in the schema. */
export type Path = readonly string[];

/** The sizes of what a list or map literal holds. */
export interface EntrySizes {
  readonly kind: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** The path and size of a variable inside a loop or binding. */
export interface Local {
  readonly path: Path | undefined;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const scalars: ReadonlySet<string> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: CelType): boolean {
  const [held] = type.params;
  if (type.kind === "optional" && held !== undefined) return isScalar(held);
  return scalars.has(type.kind);
}

/** Sizes of the nodes of one expression. */
export class SizeBook {
  readonly #checked: CheckedExpr;
  readonly #variables: ReadonlyMap<string, CelType>;
  readonly #paths = new Map<number, Path>();
  readonly #sizes = new Map<number, Range>();
  readonly #entries = new Map<number, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: CheckedExpr, variables: ReadonlyMap<string, CelType>) {
    this.#checked = checked;
    this.#variables = variables;
  }

  push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  /** The innermost loop or binding that declares a name. */
  local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  /** The path of a variable: that of what it loops over, or its own name. */
  variablePath(name: string): Path | undefined {
    const local = this.local(name);
    return local === undefined ? [name] : local.path;
  }

  /** The path of the value of a node. */
  setPath(expr: Expr, path: Path | undefined): void {
    if (path !== undefined) this.#paths.set(expr.id, path);
  }

  path(expr: Expr): Path | undefined {
    const local = expr.kind === "ident" ? this.local(expr.name) : undefined;
    return local === undefined ? this.#paths.get(expr.id) : local.path;
  }

  extend(expr: Expr, step: string): Path {
    return [...(this.path(expr) ?? []), step];
  }

  setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size);
  }

  setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries.set(expr.id, entries);
  }

  entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === "ident" ? this.local(expr.name)?.entries : undefined);
  }

  /** The size of a value, or anything. */
  size(expr: Expr): Range {
    return this.computedSize(expr) ?? unknownSize;
  }

  /** The size of a value, where something is known about it. */
  computedSize(expr: Expr): Range | undefined {
    const type = this.#checked.typeOf(expr);
    return (
      this.#sizes.get(expr.id) ??
      literalSize(expr) ??
      this.schemaSize(this.path(expr)) ??
      (isScalar(type) ? fixed(1) : undefined) ??
      (expr.kind === "ident" ? this.local(expr.name)?.size : undefined)
    );
  }

  /**
   * The size the schema allows at a path. In rules every path counts from `self`, whatever its first step: Kubernetes looks no
   * closer, and its estimates depend on it.
   */
  schemaSize(path: Path | undefined): Range | undefined {
    const [variable, ...steps] = path ?? [];
    if (variable === undefined) return undefined;
    let type = this.#variables.get("self") ?? this.#variables.get(variable);
    for (const step of steps) type = type === undefined ? undefined : child(type, step);
    return type === undefined ? undefined : { min: 0, max: type.maxElements ?? 0 };
  }

  /** The path one step further, if it starts at a variable. */
  rootedPath(expr: Expr, step: string): Path | undefined {
    const path = this.path(expr);
    return path === undefined || path.length === 0 ? undefined : [...path, step];
  }
}

function child(type: CelType, step: string): CelType | undefined {
  switch (step) {
    case "@items":
    case "@values":
      return type.kind === "list" ? type.params[0] : type.kind === "map" ? type.params[1] : undefined;
    case "@keys":
      return type.kind === "map" ? type.params[0] : undefined;
    default:
      if (type.kind === "map") return type.sizesEveryEntry ? type.params[1] : undefined;
      return type.kind === "object" ? type.fields?.().get(step)?.type : undefined;
  }
}

function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case "literal":
      if (typeof expr.value === "string") return fixed([...expr.value].length);
      return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case "list":
      return fixed(expr.elements.length);
    case "map":
      return fixed(expr.entries.length);
    default:
      return undefined;
  }
}

// Estimates what an expression can cost before any object is seen. The walk over the tree and every number in it are those of
// Kubernetes: a rule whose estimate is too high is refused there, so it has to be refused here.
//
// Sizes come from the schema by way of paths: `self.items[0].name` is the path [self, items, @items, name].
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from "./ast.js";
import type { CheckedExpr } from "./checker.js";
import {
  add,
  type CallEstimate,
  type CostNode,
  fixed,
  multiply,
  price,
  type Range,
  sum,
  union,
  unknownSize,
} from "./cost.js";
import type { Overload } from "./declarations.js";
import type { CelType } from "./types.js";

type Path = readonly string[];

/** The sizes of what a list or map literal holds. */
interface EntrySizes {
  readonly kind: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** What is known of a variable inside a loop or binding. */
interface Local {
  readonly path: Path | undefined;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

/** The cost of a checked expression; variables get their sizes from their types. */
export function estimateCost(checked: CheckedExpr, variables: ReadonlyMap<string, CelType>): Range {
  return new Estimator(checked, variables).cost(checked.expr);
}

const scalars: ReadonlySet<string> = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: CelType): boolean {
  const [held] = type.params;
  if (type.kind === "optional" && held !== undefined) return isScalar(held);
  return scalars.has(type.kind);
}

const identCost = fixed(price.identOrSelect);

class Estimator {
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

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
      case "struct":
        return fixed(0);
      case "ident":
        this.#setPath(expr, this.#localOrNamed(expr.name));
        return identCost;
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "comprehension":
        return expr.purpose.kind === "bind" ? this.#bind(expr) : this.#loop(expr);
    }
  }

  #select(expr: SelectExpr): Range {
    const operand = this.cost(expr.operand);
    if (expr.test) return operand;
    this.#setPath(expr, this.#extend(expr.operand, expr.field));
    const { kind } = this.#checked.typeOf(expr.operand);
    return kind === "map" || kind === "object" || kind === "param" ? add(operand, identCost) : operand;
  }

  #call(expr: CallExpr): Range {
    const args = expr.args.map((arg) => this.cost(arg));
    const isMember = expr.target !== undefined && !this.#checked.isNamespaced(expr);
    const target = isMember && expr.target !== undefined ? this.cost(expr.target) : fixed(0);
    const [first] = expr.args;
    if (expr.name === "dyn" && first !== undefined) {
      this.#setSize(expr, this.#computedSize(first));
      this.#setEntries(expr, this.#entriesOf(first));
      return add(fixed(1), sum(args));
    }
    if (expr.name === "_?._" && first !== undefined) return add(fixed(1), sum(args));
    let total: Range | undefined;
    let size: Range | undefined;
    for (const overload of this.#checked.overloadsOf(expr)) {
      const estimate = this.#overload(expr, overload, args);
      total = total === undefined ? estimate.cost : union(total, estimate.cost);
      if (estimate.resultSize !== undefined) {
        size = size === undefined ? estimate.resultSize : union(size, estimate.resultSize);
      }
      size = this.#indexed(expr, overload) ?? size;
    }
    this.#setSize(expr, size);
    return add(target, total ?? fixed(0));
  }

  /** An element of a list or map is as large as the schema says. */
  #indexed(expr: CallExpr, overload: Overload): Range | undefined {
    const [container] = expr.args;
    if (container === undefined) return undefined;
    const step =
      overload.id === "index_list" ? "@items" : overload.id === "index_map" ? "@values" : undefined;
    if (step === undefined) return undefined;
    this.#setPath(expr, this.#extend(container, step));
    return this.#entriesOf(container)?.value;
  }

  #overload(expr: CallExpr, overload: Overload, args: readonly Range[]): CallEstimate {
    const [first = fixed(0), second = fixed(0), third = fixed(0)] = args;
    switch (overload.id) {
      case "logical_and":
      case "logical_or":
        return { cost: { min: first.min, max: add(first, second).max } };
      case "conditional":
        return { cost: add(first, union(second, third)), resultSize: this.#conditionalSize(expr) };
      case "add_list":
      case "add_string":
      case "add_bytes":
        this.#joinEntries(expr, expr.args[0], expr.args[1]);
    }
    const isMember = overload.member && expr.target !== undefined;
    const estimate = overload.estimate?.({
      target: isMember && expr.target !== undefined ? this.#node(expr.target) : undefined,
      args: expr.args.map((arg) => this.#node(arg)),
    });
    return { cost: add(estimate?.cost ?? fixed(1), sum(args)), resultSize: estimate?.resultSize };
  }

  #conditionalSize(expr: CallExpr): Range {
    const [, yes, no] = expr.args;
    this.#joinEntries(expr, yes, no);
    const size = (branch: Expr | undefined): Range =>
      branch === undefined ? unknownSize : this.#size(branch);
    return union(size(yes), size(no));
  }

  #joinEntries(expr: Expr, a: Expr | undefined, b: Expr | undefined): void {
    const first = a === undefined ? undefined : this.#entriesOf(a);
    const second = b === undefined ? undefined : this.#entriesOf(b);
    if (first === undefined || second === undefined) return;
    this.#setEntries(expr, {
      kind: first.kind,
      key: union(first.key, second.key),
      value: union(first.value, second.value),
    });
  }

  #list(expr: ListExpr): Range {
    const costs = expr.elements.map(({ value }) => this.cost(value));
    const value = this.#unionSizes(expr.elements.map((element) => element.value));
    this.#setEntries(expr, { kind: "list", key: fixed(1), value });
    return add(sum(costs), fixed(price.list));
  }

  #map(expr: MapExpr): Range {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = this.#unionSizes(expr.entries.map((entry) => entry.key));
    const value = this.#unionSizes(expr.entries.map((entry) => entry.value));
    this.#setEntries(expr, { kind: "map", key, value });
    return add(sum(costs), fixed(price.map));
  }

  #unionSizes(exprs: readonly Expr[]): Range {
    return exprs.length === 0 ? fixed(0) : exprs.map((expr) => this.#size(expr)).reduce(union);
  }

  #loop(expr: ComprehensionExpr): Range {
    const range = this.cost(expr.range);
    const init = this.cost(expr.init);
    this.#push(expr.accumulator, {
      path: this.#path(expr.init),
      size: this.#computedSize(expr.init),
      entries: this.#entriesOf(expr.init),
    });
    this.#pushLoopVariables(expr);
    const perElement = add(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.variable);
    if (expr.variable2 !== undefined) this.#pop(expr.variable2);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#size(expr.range);
    this.#setResultSize(expr, count);
    return sum([range, init, result, multiply(count, perElement)]);
  }

  #pushLoopVariables(expr: ComprehensionExpr): void {
    const entries = this.#entriesOf(expr.range);
    const kind = entries?.kind ?? (this.#checked.typeOf(expr.range).kind === "list" ? "list" : "map");
    const local = (step: string, size: Range | undefined): Local => ({
      path: this.#extend(expr.range, step),
      size,
      entries: undefined,
    });
    const key = local(kind === "list" ? "@indices" : "@keys", entries?.key);
    const value = local(kind === "list" ? "@items" : "@values", entries?.value);
    if (expr.variable2 !== undefined) {
      this.#push(expr.variable, key);
      this.#push(expr.variable2, value);
    } else this.#push(expr.variable, kind === "list" ? value : key);
  }

  /** A loop that builds a list or map makes it at most as large as what it runs over. */
  #setResultSize(expr: ComprehensionExpr, count: Range): void {
    if (expr.init.kind === "literal") this.#setSize(expr, this.#computedSize(expr.init));
    if (expr.init.kind !== "list" && expr.init.kind !== "map") return;
    this.#setSize(expr, count);
    this.#setEntries(expr, this.#entriesOf(expr.step));
  }

  #bind(expr: ComprehensionExpr): Range {
    const range = this.cost(expr.range);
    const init = this.cost(expr.init);
    this.#push(expr.accumulator, {
      path: this.#path(expr.init),
      size: this.#computedSize(expr.init),
      entries: this.#entriesOf(expr.init),
    });
    const result = this.cost(expr.result);
    this.#setSize(expr, this.#computedSize(expr.result));
    this.#setEntries(expr, this.#entriesOf(expr.result));
    this.#pop(expr.accumulator);
    return sum([range, init, result]);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #localOrNamed(name: string): Path | undefined {
    const local = this.#local(name);
    return local === undefined ? [name] : local.path;
  }

  #setPath(expr: Expr, path: Path | undefined): void {
    if (path !== undefined) this.#paths.set(expr.id, path);
  }

  #path(expr: Expr): Path | undefined {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local === undefined ? this.#paths.get(expr.id) : local.path;
  }

  #extend(expr: Expr, step: string): Path {
    return [...(this.#path(expr) ?? []), step];
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size);
  }

  #setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries.set(expr.id, entries);
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    return (
      this.#entries.get(expr.id) ?? (expr.kind === "ident" ? this.#local(expr.name)?.entries : undefined)
    );
  }

  #size(expr: Expr): Range {
    return this.#computedSize(expr) ?? unknownSize;
  }

  #computedSize(expr: Expr): Range | undefined {
    const type = this.#checked.typeOf(expr);
    return (
      this.#sizes.get(expr.id) ??
      literalSize(expr) ??
      this.#schemaSize(this.#path(expr)) ??
      (isScalar(type) ? fixed(1) : undefined) ??
      (expr.kind === "ident" ? this.#local(expr.name)?.size : undefined)
    );
  }

  /**
   * The size the schema allows at a path. In rules every path counts from `self`, whatever its first step: Kubernetes looks no
   * closer, and its estimates depend on it.
   */
  #schemaSize(path: Path | undefined): Range | undefined {
    const [variable, ...steps] = path ?? [];
    if (variable === undefined) return undefined;
    let type = this.#variables.get("self") ?? this.#variables.get(variable);
    for (const step of steps) type = type === undefined ? undefined : child(type, step);
    return type === undefined ? undefined : { min: 0, max: type.maxElements ?? 0 };
  }

  #node(expr: Expr): CostNode {
    const type = this.#checked.typeOf(expr);
    const computedSize = this.#computedSize(expr);
    const [element] = type.params;
    const isInt = expr.kind === "literal" && expr.type === "int";
    return {
      size: computedSize ?? unknownSize,
      computedSize,
      typeName: type.name,
      typeKind: type.kind,
      element:
        element === undefined
          ? undefined
          : {
              size: this.#schemaSize(this.#rootedPath(expr, "@items")) ?? unknownSize,
              isText: element.kind === "string" || element.kind === "bytes",
            },
      literalInt: isInt ? Number(expr.value) : undefined,
    };
  }

  /** The path one step further, if it starts at a variable. */
  #rootedPath(expr: Expr, step: string): Path | undefined {
    const path = this.#path(expr);
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

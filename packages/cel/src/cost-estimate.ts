// Estimates what an expression can cost before any object is seen. The walk over the tree and every number in it are those of
// Kubernetes: a rule whose estimate is too high is refused there, so it has to be refused here.
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from "./ast.js";
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
import { type Local, SizeBook } from "./size-book.js";
import type { CelType } from "./types.js";

/** The cost of a checked expression; variables get their sizes from their types. */
export function estimateCost(checked: CheckedExpr, variables: ReadonlyMap<string, CelType>): Range {
  return new Estimator(checked, variables).cost(checked.expr);
}

const identCost = fixed(price.identOrSelect);

class Estimator {
  readonly #checked: CheckedExpr;
  readonly #book: SizeBook;

  constructor(checked: CheckedExpr, variables: ReadonlyMap<string, CelType>) {
    this.#checked = checked;
    this.#book = new SizeBook(checked, variables);
  }

  #total(exprs: readonly Expr[]): Range {
    let total = fixed(0);
    for (const expr of exprs) total = add(total, this.cost(expr));
    return total;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return fixed(0);
      case "struct":
        return this.#struct(expr);
      case "ident":
        this.#book.setPath(expr, this.#book.variablePath(expr.name));
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
    this.#book.setPath(expr, this.#book.extend(expr.operand, expr.field));
    const { kind } = this.#checked.typeOf(expr.operand);
    return kind === "map" || kind === "object" || kind === "param" ? add(operand, identCost) : operand;
  }

  #call(expr: CallExpr): Range {
    const args = expr.args.map((arg) => this.cost(arg));
    const isMember = expr.target !== undefined && !this.#checked.isNamespaced(expr);
    const target = isMember && expr.target !== undefined ? this.cost(expr.target) : fixed(0);
    const [first] = expr.args;
    if (expr.name === "dyn" && first !== undefined) {
      this.#book.setSize(expr, this.#book.computedSize(first));
      this.#book.setEntries(expr, this.#book.entriesOf(first));
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
    this.#book.setSize(expr, size);
    return add(target, total ?? fixed(0));
  }

  /** An element of a list or map is as large as the schema says. */
  #indexed(expr: CallExpr, overload: Overload): Range | undefined {
    const [container] = expr.args;
    if (container === undefined) return undefined;
    const step =
      overload.id === "index_list" ? "@items" : overload.id === "index_map" ? "@values" : undefined;
    if (step === undefined) return undefined;
    this.#book.setPath(expr, this.#book.extend(container, step));
    return this.#book.entriesOf(container)?.value;
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
      branch === undefined ? unknownSize : this.#book.size(branch);
    return union(size(yes), size(no));
  }

  #joinEntries(expr: Expr, a: Expr | undefined, b: Expr | undefined): void {
    const first = a === undefined ? undefined : this.#book.entriesOf(a);
    const second = b === undefined ? undefined : this.#book.entriesOf(b);
    if (first === undefined || second === undefined) return;
    this.#book.setEntries(expr, {
      kind: first.kind,
      key: union(first.key, second.key),
      value: union(first.value, second.value),
    });
  }

  #struct(expr: StructExpr): Range {
    return add(this.#total(expr.fields.map(({ value }) => value)), fixed(price.struct));
  }

  #list(expr: ListExpr): Range {
    const values = expr.elements.map(({ value }) => value);
    const cost = this.#total(values);
    const value = this.#unionSizes(values);
    this.#book.setEntries(expr, { kind: "list", key: fixed(1), value });
    return add(cost, fixed(price.list));
  }

  #map(expr: MapExpr): Range {
    const cost = this.#total(expr.entries.flatMap(({ key, value }) => [key, value]));
    const key = this.#unionSizes(expr.entries.map((entry) => entry.key));
    const value = this.#unionSizes(expr.entries.map((entry) => entry.value));
    this.#book.setEntries(expr, { kind: "map", key, value });
    return add(cost, fixed(price.map));
  }

  #unionSizes(exprs: readonly Expr[]): Range {
    let all: Range | undefined;
    for (const expr of exprs) {
      const size = this.#book.size(expr);
      all = all === undefined ? size : union(all, size);
    }
    return all ?? fixed(0);
  }

  #loop(expr: ComprehensionExpr): Range {
    const range = this.cost(expr.range);
    const init = this.cost(expr.init);
    this.#book.push(expr.accumulator, {
      path: this.#book.path(expr.init),
      size: this.#book.computedSize(expr.init),
      entries: this.#book.entriesOf(expr.init),
    });
    this.#pushLoopVariables(expr);
    const perElement = add(this.cost(expr.condition), this.cost(expr.step));
    this.#book.pop(expr.variable);
    if (expr.variable2 !== undefined) this.#book.pop(expr.variable2);
    const result = this.cost(expr.result);
    this.#book.pop(expr.accumulator);
    const count = this.#book.size(expr.range);
    this.#setResultSize(expr, count);
    return sum([range, init, result, multiply(count, perElement)]);
  }

  #pushLoopVariables(expr: ComprehensionExpr): void {
    const entries = this.#book.entriesOf(expr.range);
    const kind = entries?.kind ?? (this.#checked.typeOf(expr.range).kind === "list" ? "list" : "map");
    const local = (step: string, size: Range | undefined): Local => ({
      path: this.#book.extend(expr.range, step),
      size,
      entries: undefined,
    });
    const key = local(kind === "list" ? "@indices" : "@keys", entries?.key);
    const value = local(kind === "list" ? "@items" : "@values", entries?.value);
    if (expr.variable2 !== undefined) {
      this.#book.push(expr.variable, key);
      this.#book.push(expr.variable2, value);
    } else this.#book.push(expr.variable, kind === "list" ? value : key);
  }

  /** A loop that builds a list or map makes it at most as large as what it runs over. */
  #setResultSize(expr: ComprehensionExpr, count: Range): void {
    if (expr.init.kind === "literal") this.#book.setSize(expr, this.#book.computedSize(expr.init));
    if (expr.init.kind !== "list" && expr.init.kind !== "map") return;
    this.#book.setSize(expr, count);
    this.#book.setEntries(expr, this.#book.entriesOf(expr.step));
  }

  #bind(expr: ComprehensionExpr): Range {
    const range = this.cost(expr.range);
    const init = this.cost(expr.init);
    this.#book.push(expr.accumulator, {
      path: this.#book.path(expr.init),
      size: this.#book.computedSize(expr.init),
      entries: this.#book.entriesOf(expr.init),
    });
    const result = this.cost(expr.result);
    this.#book.setSize(expr, this.#book.computedSize(expr.result));
    this.#book.setEntries(expr, this.#book.entriesOf(expr.result));
    this.#book.pop(expr.accumulator);
    return sum([range, init, result]);
  }

  #node(expr: Expr): CostNode {
    const type = this.#checked.typeOf(expr);
    const computedSize = this.#book.computedSize(expr);
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
              size: this.#book.schemaSize(this.#book.rootedPath(expr, "@items")) ?? unknownSize,
              isText: element.kind === "string" || element.kind === "bytes",
            },
      literalInt: isInt ? Number(expr.value) : undefined,
    };
  }
}

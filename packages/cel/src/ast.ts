// The syntax tree. Macros are expanded while parsing, so only a handful of node kinds reach the checker. A comprehension
// carries both its general form (what is checked and costed) and its purpose (what is compiled to a tight loop).

interface Node {
  /** Unique within one expression; the checker files its findings under it. */
  readonly id: number;
  /** The position of issues with this node: the operator, the dot, the opening bracket. */
  readonly offset: number;
}

/** `1`, `"a"`, `true`, `null`. */
export interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly type: "bool" | "int" | "uint" | "double" | "string" | "bytes" | "null";
  readonly value: unknown;
}

/** A name by itself. */
export interface IdentExpr extends Node {
  readonly kind: "ident";
  readonly name: string;
}

/** `operand.field`. */
export interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly test: boolean;
}

/** A function, a method or an operator. */
export interface CallExpr extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** One element of a list literal. */
export interface ListElement {
  readonly value: Expr;
  /** `[?value]`: left out when the optional is empty. */
  readonly optional: boolean;
}

/** `[a, b]`. */
export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly ListElement[];
}

/** One entry of a map literal. */
export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `{a: b}`. */
export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** One field of a struct literal. */
export interface StructField extends Node {
  readonly name: string;
  readonly value: Expr;
  /** `?field: value`: left out when the optional is empty. */
  readonly optional: boolean;
}

/** `Name{field: value}`. Only expressions that make patches have types that can be built this way. */
export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** The purpose of a comprehension, which decides how it is compiled. */
export type ComprehensionPurpose =
  | { readonly kind: "all" | "exists" | "existsOne"; readonly predicate: Expr }
  | { readonly kind: "list"; readonly filter: Expr | undefined; readonly transform: Expr }
  | { readonly kind: "map"; readonly filter: Expr | undefined; readonly transform: Expr }
  | { readonly kind: "mapEntry"; readonly filter: Expr | undefined; readonly transform: Expr }
  | { readonly kind: "bind"; readonly value: Expr; readonly body: Expr };

/** A loop that folds a range into an accumulator; what macros expand to. */
export interface ComprehensionExpr extends Node {
  readonly kind: "comprehension";
  readonly purpose: ComprehensionPurpose;
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Any expression. */
export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;

/** Makes nodes with fresh identities. */
export class ExprFactory {
  #last = 0;

  id(): number {
    this.#last += 1;
    return this.#last;
  }

  literal(offset: number, type: LiteralExpr["type"], value: unknown): LiteralExpr {
    return { kind: "literal", id: this.id(), offset, type, value };
  }

  ident(offset: number, name: string): IdentExpr {
    return { kind: "ident", id: this.id(), offset, name };
  }

  select(offset: number, operand: Expr, field: string, test = false): SelectExpr {
    return { kind: "select", id: this.id(), offset, operand, field, test };
  }

  call(offset: number, name: string, ...args: readonly Expr[]): CallExpr {
    return { kind: "call", id: this.id(), offset, name, target: undefined, args };
  }

  memberCall(offset: number, target: Expr, name: string, ...args: readonly Expr[]): CallExpr {
    return { kind: "call", id: this.id(), offset, name, target, args };
  }

  list(offset: number, ...values: readonly Expr[]): ListExpr {
    return {
      kind: "list",
      id: this.id(),
      offset,
      elements: values.map((value) => ({ value, optional: false })),
    };
  }
}

/** `a.b.c` written as identifiers and selections only, else undefined. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}

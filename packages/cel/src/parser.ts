// A recursive-descent parser for CEL. Messages are those of the grammar Kubernetes uses, where a person meets them most:
// something missing, something too much, the end too early.

import {
  type Expr,
  ExprFactory,
  type ListElement,
  type MapEntry,
  qualifiedName,
  type StructField,
} from "./ast.js";
import { type Token, tokenize } from "./lexer.js";
import { parseBytes, parseInt64, parseString, parseUint64 } from "./literal.js";
import { expandMacro } from "./macros.js";
import type { Source, SourceIssue } from "./source.js";
import { ParseStop, TokenStream } from "./token-stream.js";
import { Double } from "./values/int.js";

/** Macros beyond those of Kubernetes. */
export interface ParseOptions {
  /** `cel.bind(name, value, body)`. Kubernetes does not have it. */
  readonly bindings: boolean;
}

const maxLength = 100_000;

const expression =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const reserved: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const relations: ReadonlyMap<string, string> = new Map([
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">", "_>_"],
  [">=", "_>=_"],
  ["in", "@in"],
]);
const sums: ReadonlyMap<string, string> = new Map([
  ["+", "_+_"],
  ["-", "_-_"],
]);
const products: ReadonlyMap<string, string> = new Map([
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"],
]);

/** The tree of an expression; throws a CelCompileError. */
export function parse(source: Source, options: ParseOptions): Expr {
  const issues: SourceIssue[] = [];
  if (source.text.length > maxLength) assertLength(source);
  const tokens = tokenize(source.text, issues);
  const parser = new Parser(new TokenStream(tokens, issues), options);
  const expr = parser.parse();
  if (issues.length > 0 || expr === undefined) throw source.error(issues);
  return expr;
}

function assertLength(source: Source): void {
  const size = codePoints(source.text);
  if (size <= maxLength) return;
  const message = `expression code point size exceeds limit: size: ${size}, limit ${maxLength}`;
  throw source.error([{ offset: 0, message }]);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

class Parser {
  readonly #input: TokenStream;
  readonly #options: ParseOptions;
  readonly #factory = new ExprFactory();

  constructor(input: TokenStream, options: ParseOptions) {
    this.#input = input;
    this.#options = options;
  }

  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      const { token } = this.#input;
      if (token.kind !== "eof") {
        const kind = this.#input.peek(1).kind === "eof" ? "extraneous" : "mismatched";
        this.#input.report(token, `Syntax error: ${kind} input '${token.text}' expecting <EOF>`);
      }
      return expr;
    } catch (stop) {
      if (stop instanceof ParseStop) return undefined;
      throw stop;
    }
  }

  #expr(): Expr {
    return this.#input.deeper(this.#conditional);
  }

  // Made once: a long expression asks for each of them many thousand times.
  readonly #products = (): Expr => this.#chain(products, this.#unary);
  readonly #sums = (): Expr => this.#chain(sums, this.#products);
  readonly #relations = (): Expr => this.#chain(relations, this.#sums);
  readonly #conjunctions = (): Expr => this.#logical("&&", "_&&_", this.#relations);
  readonly #disjunctions = (): Expr => this.#logical("||", "_||_", this.#conjunctions);
  readonly #conditional = (): Expr => {
    const condition = this.#disjunctions();
    const mark = this.#input.accept("?");
    if (mark === undefined) return condition;
    const yes = this.#disjunctions();
    this.#input.expect(":");
    return this.#factory.call(mark.offset, "_?_:_", condition, yes, this.#expr());
  };

  /** A chain of one logical operator becomes a balanced tree, so that a long chain nests little. */
  #logical(text: string, name: string, operand: () => Expr): Expr {
    const first = operand();
    if (!this.#input.isOp(text)) return first;
    const terms = [first];
    const operators: Token[] = [];
    for (let op = this.#input.accept(text); op !== undefined; op = this.#input.accept(text)) {
      operators.push(op);
      terms.push(operand());
    }
    return this.#balance(name, terms, operators, 0, terms.length);
  }

  /** Of the terms from one up to another, and the operators between them. */
  #balance(
    name: string,
    terms: readonly Expr[],
    operators: readonly Token[],
    from: number,
    to: number,
  ): Expr {
    const first = terms[from];
    if (to - from === 1 && first !== undefined) return first;
    const middle = from + Math.ceil((to - from - 1) / 2);
    const left = this.#balance(name, terms, operators, from, middle);
    const right = this.#balance(name, terms, operators, middle, to);
    return this.#factory.call(operators[middle - 1]?.offset ?? 0, name, left, right);
  }

  /** A chain of operators of one precedence; it leans left, and its length counts as nesting. */
  #chain(operators: ReadonlyMap<string, string>, operand: () => Expr): Expr {
    let left = operand();
    for (let length = this.#input.depth + 1; this.#input.token.kind === "op"; length += 1) {
      const name = operators.get(this.#input.token.text);
      if (name === undefined) return left;
      this.#input.checkDepth(length);
      const { offset } = this.#input.next();
      left = this.#factory.call(offset, name, left, operand());
    }
    return left;
  }

  readonly #unary = (): Expr => {
    const { token } = this.#input;
    if (token.kind !== "op" || (token.text !== "!" && token.text !== "-")) return this.#member();
    const after = this.#input.peek(1).kind;
    if (token.text === "-" && (after === "int" || after === "float")) return this.#member();
    let count = 0;
    while (this.#input.accept(token.text) !== undefined) count += 1;
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#factory.call(token.offset, token.text === "!" ? "!_" : "-_", operand);
  };

  #member(): Expr {
    let expr = this.#primary();
    for (let length = this.#input.depth + 1; ; length += 1) {
      this.#input.checkDepth(length);
      const dot = this.#input.accept(".");
      if (dot !== undefined) {
        expr = this.#selection(expr, dot);
        continue;
      }
      const bracket = this.#input.accept("[");
      if (bracket === undefined) return expr;
      const name = this.#input.accept("?") === undefined ? "_[_]" : "_[?_]";
      const index = this.#expr();
      this.#input.expect("]");
      expr = this.#factory.call(bracket.offset, name, expr, index);
    }
  }

  #selection(operand: Expr, dot: Token): Expr {
    if (this.#input.accept("?") !== undefined) {
      const field = this.#identifier();
      return this.#factory.call(
        dot.offset,
        "_?._",
        operand,
        this.#factory.literal(field.offset, "string", field.text),
      );
    }
    if (this.#input.token.kind === "eof")
      return this.#input.stop(this.#input.token, "Syntax error: no viable alternative at input '.'");
    const field = this.#identifier();
    const open = this.#input.accept("(");
    if (open === undefined) {
      const select = this.#factory.select(dot.offset, operand, field.text);
      return this.#input.isOp("{") && qualifiedName(select) !== undefined ? this.#struct(select) : select;
    }
    return this.#call(open, operand, field.text);
  }

  #identifier(): Token {
    const { token } = this.#input;
    if (token.kind === "ident") return this.#input.next();
    if (token.kind === "escaped") {
      this.#input.report(token, "unsupported syntax: '`'");
      return this.#input.next();
    }
    const kind = token.kind === "eof" ? "mismatched input" : "no viable alternative at input";
    const tail = token.kind === "eof" ? " expecting IDENTIFIER" : "";
    return this.#input.stop(
      token,
      `Syntax error: ${kind} '${token.text === "<EOF>" ? "<EOF>" : `.${token.text}`}'${tail}`,
    );
  }

  #call(open: Token, target: Expr | undefined, name: string): Expr {
    const args = this.#list(")", () => this.#expr(), false);
    const call = { factory: this.#factory, offset: open.offset, target, args };
    const expanded = expandMacro(name, call, this.#options.bindings);
    if (expanded === undefined) {
      if (target === undefined) return this.#factory.call(open.offset, name, ...args);
      return this.#factory.memberCall(open.offset, target, name, ...args);
    }
    if ("expr" in expanded) return expanded.expr;
    this.#input.report(expanded.issue, expanded.issue.message);
    return this.#factory.literal(open.offset, "null", null);
  }

  /** Items up to the closing bracket, which is consumed. */
  #list<T>(close: string, item: () => T, trailingComma: boolean): T[] {
    const items: T[] = [];
    if (this.#input.accept(close) !== undefined) return items;
    while (true) {
      items.push(item());
      if (this.#input.accept(",") === undefined) break;
      if (trailingComma && this.#input.isOp(close)) break;
    }
    this.#input.expect(close);
    return items;
  }

  #primary(): Expr {
    const { token } = this.#input;
    switch (token.kind) {
      case "ident":
        return this.#name();
      case "op":
        return this.#bracketed(token);
      case "eof":
        return this.#input.stop(token, `Syntax error: mismatched input '<EOF>' expecting ${expression}`);
      default:
        return this.#literal(false);
    }
  }

  #name(): Expr {
    const token = this.#input.next();
    const open = this.#input.accept("(");
    if (open !== undefined) return this.#call(open, undefined, token.text);
    if (reserved.has(token.text)) this.#input.report(token, `reserved identifier: ${token.text}`);
    const ident = this.#factory.ident(token.offset, token.text);
    return this.#input.isOp("{") ? this.#struct(ident) : ident;
  }

  #bracketed(token: Token): Expr {
    switch (token.text) {
      case "(": {
        this.#input.next();
        const inner = this.#expr();
        this.#input.expect(")");
        return inner;
      }
      case "[":
        this.#input.next();
        return this.#listLiteral(token);
      case "{":
        this.#input.next();
        return this.#mapLiteral(token);
      case ".":
        // A leading dot names the root scope, which is the only one there is.
        this.#input.next();
        return this.#input.token.kind === "ident" ? this.#name() : this.#unexpected();
      case "-":
        this.#input.next();
        return this.#literal(true);
      case "true":
      case "false":
        this.#input.next();
        return this.#factory.literal(token.offset, "bool", token.text === "true");
      case "null":
        this.#input.next();
        return this.#factory.literal(token.offset, "null", null);
      default:
        return this.#unexpected();
    }
  }

  /** Something stands where an expression should; one token too much is skipped over. */
  #unexpected(): Expr {
    const token = this.#input.next();
    const after = this.#input.token;
    const startsExpression =
      after.kind !== "eof" && (after.kind !== "op" || /^(?:[[{(.\-!]|true|false|null)$/.test(after.text));
    if (!startsExpression) {
      return this.#input.stop(
        token,
        `Syntax error: mismatched input '${token.text}' expecting ${expression}`,
      );
    }
    this.#input.report(token, `Syntax error: extraneous input '${token.text}' expecting ${expression}`);
    return this.#input.deeper(this.#unary);
  }

  #listLiteral(open: Token): Expr {
    const elements = this.#list(
      "]",
      (): ListElement => ({ optional: this.#input.accept("?") !== undefined, value: this.#expr() }),
      true,
    );
    return { kind: "list", id: this.#factory.id(), offset: open.offset, elements };
  }

  #mapLiteral(open: Token): Expr {
    const entry = (): MapEntry => {
      const optional = this.#input.accept("?") !== undefined;
      const key = this.#expr();
      const { offset } = this.#input.expect(":");
      return { id: this.#factory.id(), offset, optional, key, value: this.#expr() };
    };
    const entries = this.#list("}", entry, true);
    return { kind: "map", id: this.#factory.id(), offset: open.offset, entries };
  }

  #struct(name: Expr): Expr {
    const open = this.#input.expect("{");
    const field = (): StructField => {
      const optional = this.#input.accept("?") !== undefined;
      const { text } = this.#identifier();
      const { offset } = this.#input.expect(":");
      return { id: this.#factory.id(), offset, optional, name: text, value: this.#expr() };
    };
    const fields = this.#list("}", field, true);
    return {
      kind: "struct",
      id: this.#factory.id(),
      offset: open.offset,
      name: qualifiedName(name) ?? "",
      fields,
    };
  }

  #literal(negative: boolean): Expr {
    const token = this.#input.next();
    const { offset, text } = token;
    const valueOrReport = (type: "int" | "uint" | "string" | "bytes", value: unknown): Expr => {
      if (value === undefined) this.#input.report(token, `invalid ${type} literal`);
      return this.#factory.literal(offset, type, value);
    };
    switch (token.kind) {
      case "int":
        return valueOrReport("int", parseInt64(text, negative));
      case "uint":
        return valueOrReport("uint", parseUint64(text));
      case "float":
        return this.#factory.literal(offset, "double", new Double(negative ? -Number(text) : Number(text)));
      case "string":
        return valueOrReport("string", parseString(text));
      default:
        return valueOrReport("bytes", parseBytes(text));
    }
  }
}

// Reads the text of a JSONPath. Returns undefined for what it does not understand; the rules for what a
// CustomResourceDefinition may say are checked elsewhere.
import type { FilterOperator, Operand, PathStep } from "./json-path.js";

/** The steps of a path that begins with a dot, a bracket, `$` or `@`. */
export function parseJsonPath(text: string): readonly PathStep[] | undefined {
  const parser = new Parser(text);
  try {
    return parser.path();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const maxLength = 1024;

/** The name of a field as it is written, with what stands behind backslashes. */
function fieldName(text: string, at: number): string {
  const pattern = /(?:[^\s.,[\]$@{}\\]|\\[\s\S]?)*/y;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    if (text.length > maxLength) this.#text = "";
    else this.#text = text;
  }

  path(): readonly PathStep[] {
    if (this.#peek() === "$" || this.#peek() === "@") this.#at++;
    if (this.#done) throw new SyntaxError("empty path");
    const steps: PathStep[] = [];
    while (!this.#done) steps.push(...this.#step());
    return steps;
  }

  get #done(): boolean {
    return this.#at >= this.#text.length;
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #step(): readonly PathStep[] {
    const next = this.#peek();
    if (next === "[") return [this.#bracket()];
    if (next !== ".") throw new SyntaxError(`unexpected ${next}`);
    this.#at++;
    if (this.#peek() === ".") {
      this.#at++;
      return [{ kind: "descend" }, this.#peek() === "[" ? this.#bracket() : this.#field()];
    }
    return [this.#field()];
  }

  #field(): PathStep {
    const written = fieldName(this.#text, this.#at);
    this.#at += written.length;
    const name = written.replace(/\\([\s\S]?)/g, "$1");
    if (name === "") throw new SyntaxError("empty field");
    return name === "*" ? { kind: "wildcard" } : { kind: "field", name };
  }

  #bracket(): PathStep {
    const inside = this.#inside();
    if (inside.startsWith("?(") && inside.endsWith(")")) return parseFilter(inside.slice(2, -1));
    const steps = splitOutsideQuotes(inside, ",").map((part) => parseSelector(part.trim()));
    const [only] = steps;
    return steps.length === 1 && only ? only : { kind: "union", steps };
  }

  /** The text up to the bracket that closes this one. */
  #inside(): string {
    const start = ++this.#at;
    let depth = 1;
    let quote: string | undefined;
    for (; !this.#done; this.#at++) {
      const next = this.#peek();
      if (quote !== undefined) {
        if (next === "\\") this.#at++;
        else if (next === quote) quote = undefined;
      } else if (next === "'" || next === '"') quote = next;
      else if (next === "[") depth++;
      else if (next === "]" && --depth === 0) return this.#text.slice(start, this.#at++);
    }
    throw new SyntaxError("unterminated bracket");
  }
}

function parseSelector(text: string): PathStep {
  if (text === "*") return { kind: "wildcard" };
  if (/^-?\d+$/.test(text)) return { kind: "index", index: Number(text) };
  const slice = /^(-?\d+)?:(-?\d+)?(?::(\d+))?$/.exec(text);
  if (slice) {
    const [, from, to, step] = slice;
    return {
      kind: "slice",
      ...(from === undefined ? {} : { from: Number(from) }),
      ...(to === undefined ? {} : { to: Number(to) }),
      ...(step === undefined ? {} : { step: Number(step) }),
    };
  }
  const name = unquote(text);
  if (name === undefined) throw new SyntaxError(`invalid selector ${text}`);
  return { kind: "field", name };
}

const operators: readonly Exclude<FilterOperator, "exists">[] = ["==", "!=", "<=", ">=", "<", ">"];

function parseFilter(text: string): PathStep {
  for (const operator of operators) {
    const parts = splitOutsideQuotes(text, operator);
    const [left, right] = parts;
    if (parts.length === 2 && left !== undefined && right !== undefined) {
      return { kind: "filter", left: parseOperand(left), operator, right: parseOperand(right) };
    }
  }
  return { kind: "filter", left: parseOperand(text), operator: "exists" };
}

function parseOperand(text: string): Operand {
  const trimmed = text.trim();
  if (trimmed.startsWith("@") || trimmed.startsWith("$")) {
    if (trimmed.length === 1) return { kind: "path", steps: [] };
    const steps = parseJsonPath(trimmed);
    if (steps) return { kind: "path", steps };
  }
  if (trimmed === "true" || trimmed === "false") return { kind: "literal", value: trimmed === "true" };
  if (/^-?\d+(\.\d+)?$/.test(trimmed)) return { kind: "literal", value: Number(trimmed) };
  const value = unquote(trimmed);
  if (value === undefined) throw new SyntaxError(`invalid operand ${trimmed}`);
  return { kind: "literal", value };
}

function unquote(text: string): string | undefined {
  const quoted = /^(['"])([\s\S]*)\1$/.exec(text);
  return quoted?.[2]?.replace(/\\([\s\S])/g, "$1");
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quote: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const next = text[i];
    if (quote !== undefined) {
      if (next === "\\") i++;
      else if (next === quote) quote = undefined;
    } else if (next === "'" || next === '"') quote = next;
    else if (text.startsWith(separator, i)) {
      parts.push(text.slice(start, i));
      i += separator.length - 1;
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

// The tokens of an expression as the parser walks over them, with its ways to complain and its limit on nesting.
import type { Token } from "./lexer.js";
import type { SourceIssue } from "./source.js";

/** Expressions nest at most so deep, as in Kubernetes. */
const maxDepth = 250;

/** Ends parsing at the first problem that leaves nothing to go on with. */
export class ParseStop {}

/** A position in a list of tokens. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #issues: SourceIssue[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], issues: SourceIssue[]) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  /** The nesting depth of the parser. */
  get depth(): number {
    return this.#depth;
  }

  /** The token to be read next. */
  get token(): Token {
    return this.peek(0);
  }

  peek(ahead: number): Token {
    const token = this.#tokens[Math.min(this.#position + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw new RangeError("no token");
    return token;
  }

  next(): Token {
    const { token } = this;
    this.#position += 1;
    return token;
  }

  isOp(text: string): boolean {
    return this.token.kind === "op" && this.token.text === text;
  }

  /** Takes the token if it is that one. */
  accept(text: string): Token | undefined {
    return this.isOp(text) ? this.next() : undefined;
  }

  /** Takes that token, or ends parsing. */
  expect(text: string): Token {
    const found = this.accept(text);
    if (found !== undefined) return found;
    const { token } = this;
    if (token.kind === "eof") this.stop(token, `Syntax error: missing '${text}' at '<EOF>'`);
    return this.stop(token, `Syntax error: mismatched input '${token.text}' expecting '${text}'`);
  }

  report(at: { readonly offset: number }, message: string): void {
    this.#issues.push({ offset: at.offset, message });
  }

  stop(at: { readonly offset: number }, message: string): never {
    this.report(at, message);
    throw new ParseStop();
  }

  /** Runs one level deeper. */
  deeper<T>(parse: () => T): T {
    this.#depth += 1;
    this.checkDepth(this.#depth);
    try {
      return parse();
    } finally {
      this.#depth -= 1;
    }
  }

  /** A chain of operators nests as deep as it is long. */
  checkDepth(depth: number): void {
    if (depth > maxDepth) this.stop(this.token, `expression recursion limit exceeded: ${maxDepth}`);
  }
}

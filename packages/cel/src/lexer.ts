// Splits an expression into tokens. What is no token is reported and skipped, so that one pass finds every problem.
import type { SourceIssue } from "./source.js";

/** `op` covers operators and punctuation; a keyword (`true`, `in`, …) is an `op` too, because it stands for itself. */
export type TokenKind = "op" | "ident" | "escaped" | "int" | "uint" | "float" | "string" | "bytes" | "eof";

/** A piece of the text that means something by itself. */
export interface Token {
  readonly kind: TokenKind;
  /** The text as written; `<EOF>` at the end. */
  readonly text: string;
  readonly offset: number;
}

const keywords: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);

const blank = /[\t\n\f\r ]+|\/\/[^\n]*/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
// Names in backticks are of a newer language than Kubernetes lets expressions be in.
const escaped = /`[A-Za-z0-9_.\-/ ]+`/y;
const float = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y;
const integer = /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]?/y;
const operator = /==|!=|<=|>=|&&|\|\||[<>()[\]{}.,:?!+\-*/%]/y;
// The four quotings, with and without raw prefix. A single-quoted form may not span lines.
const quoted =
  /(?:[bB]?[rR]|[rR][bB])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|[bB]?(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^\\"\n\r]|\\[^\n\r])*"|'(?:[^\\'\n\r]|\\[^\n\r])*')/y;

/** The tokens of a text, closed by an `eof` token */
export function tokenize(text: string, issues: SourceIssue[]): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    return pattern.exec(text)?.[0];
  };
  while (offset < text.length) {
    const skipped = take(blank);
    if (skipped !== undefined) {
      offset += skipped.length;
      continue;
    }
    const token = nextToken(take, offset, mayQuote.has(text.charAt(offset)));
    if (token === undefined) {
      const unknown = String.fromCodePoint(text.codePointAt(offset) ?? 0);
      issues.push({ offset, message: `Syntax error: token recognition error at: '${unknown}'` });
      offset += unknown.length;
      continue;
    }
    tokens.push(token);
    offset += token.text.length;
  }
  tokens.push({ kind: "eof", text: "<EOF>", offset: text.length });
  return tokens;
}

/** The first characters of string and bytes literals. */
const mayQuote: ReadonlySet<string> = new Set(["'", '"', "b", "B", "r", "R"]);

function nextToken(
  take: (pattern: RegExp) => string | undefined,
  offset: number,
  canQuote: boolean,
): Token | undefined {
  const string = canQuote ? take(quoted) : undefined;
  if (string !== undefined) {
    const prefix = string.slice(0, string.search(/["']/)).toLowerCase();
    return { kind: prefix.includes("b") ? "bytes" : "string", text: string, offset };
  }
  const name = take(word);
  if (name !== undefined) return { kind: keywords.has(name) ? "op" : "ident", text: name, offset };
  const inBackticks = take(escaped);
  if (inBackticks !== undefined) return { kind: "escaped", text: inBackticks, offset };
  const fraction = take(float);
  if (fraction !== undefined) return { kind: "float", text: fraction, offset };
  const whole = take(integer);
  if (whole !== undefined) return { kind: /[uU]$/.test(whole) ? "uint" : "int", text: whole, offset };
  const op = take(operator);
  return op === undefined ? undefined : { kind: "op", text: op, offset };
}

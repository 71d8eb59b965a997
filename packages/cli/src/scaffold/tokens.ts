// As much of TypeScript's lexical grammar as it takes to find one's way through a file without being misled by strings,
// templates, comments and regular expressions.

/** A word, a string, a regular expression, a number, or one character of punctuation. */
export interface Token {
  readonly kind: "word" | "string" | "regex" | "punctuation";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const word = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /\.?\d[\w.]*/y;
const space = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const quoted = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const beforeRegex = new Set([
  ..."([{,;=:?!&|+-*%~^<>",
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "void",
  "await",
]);

/** The tokens of a source, comments left out. Throws on what is not TypeScript. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = skip(source, 0); at < source.length; ) {
    const token = next(source, at, tokens.at(-1));
    tokens.push(token);
    at = skip(source, token.end);
  }
  return tokens;
}

function next(source: string, start: number, last: Token | undefined): Token {
  const take = (kind: Token["kind"], end: number): Token => ({
    kind,
    text: source.slice(start, end),
    start,
    end,
  });
  const character = source[start] ?? "";
  const end = match(word, source, start) ?? match(number, source, start);
  if (end !== undefined) return take("word", end);
  if (character === '"' || character === "'") {
    const closed = match(quoted, source, start);
    if (closed === undefined) throw new Error(`a string is not closed at ${start}`);
    return take("string", closed);
  }
  if (character === "`") return take("string", templateEnd(source, start));
  if (character === "/" && (!last || beforeRegex.has(last.text))) {
    const closed = match(regex, source, start);
    if (closed !== undefined) return take("regex", closed);
  }
  return take("punctuation", start + 1);
}

/** The end of a template literal; expressions inside may hold further ones. */
function templateEnd(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    const character = source[at];
    if (character === "`") return at + 1;
    if (character === "\\") at++;
    else if (character === "$" && source[at + 1] === "{") at = expressionEnd(source, at + 1) - 1;
  }
  throw new Error(`a template is not closed at ${start}`);
}

/** The end of an expression inside a template, from its opening brace. */
function expressionEnd(source: string, start: number): number {
  let braces = 0;
  for (let at = start; at < source.length; at++) {
    const character = source[at];
    if (character === "`") at = templateEnd(source, at) - 1;
    else if (character === '"' || character === "'") at = (match(quoted, source, at) ?? at + 1) - 1;
    else if (character === "{") braces++;
    else if (character === "}" && --braces === 0) return at + 1;
  }
  throw new Error(`an expression is not closed at ${start}`);
}

const skip = (source: string, at: number): number => match(space, source, at) ?? at;

function match(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** The index of the token that closes the bracket at an index; undefined where none does. */
export function closingIndex(tokens: readonly Token[], open: number): number | undefined {
  const expected: string[] = [];
  for (let index = open; index < tokens.length; index++) {
    const { kind, text } = tokens[index] ?? { kind: "", text: "" };
    if (kind !== "punctuation") continue;
    const close = closing[text];
    if (close) expected.push(close);
    else if (text === ")" || text === "]" || text === "}") {
      if (expected.pop() !== text) return undefined;
      if (expected.length === 0) return index;
    }
  }
  return undefined;
}

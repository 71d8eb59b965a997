// YAML in, as Kubernetes reads it: the first document, turned into JSON. The yaml package parses; it is slow and goes on after errors, so
// it is stopped where a body is broken, too deep or too long. Aliases are copied within a budget, so that a few lines cannot stand for
// gigabytes.
import { Composer, type CST, Lexer, LineCounter, Parser } from "yaml";
import type { Duplicate } from "../decode-body.js";
import { maxDepth } from "../json/json-inspection.js";
import { JsonSyntaxError } from "../json/json-syntax-error.js";
import type { NumberLiterals } from "../json/number-literals.js";
import { parseJson } from "../json/parse-json.js";
import type { MutableJson } from "../mutable-json.js";
import { YamlConverter } from "./yaml-converter.js";
import { YamlError } from "./yaml-error.js";

/** About 25,000 lines; more takes too long. */
const maxLexemes = 150_000;
/** Lines of a body: the lexer looks over many blank ones for the end of a text. */
const maxBodyLines = 200_000;
/** Lines of one text, and how long it must be to have so many; folding takes time that grows faster than their number. */
const maxLines = 100_000;
const longLexeme = 64 * 1024;
const maxDirectives = 20;

/** A parsed YAML body. */
export interface ParsedYaml {
  readonly value: MutableJson;
  readonly duplicates: readonly Duplicate[];
  readonly literals: NumberLiterals | undefined;
}

/** Parses a YAML body. Throws YamlError. */
export function parseYaml(bytes: Uint8Array): ParsedYaml {
  return parseAsJson(bytes) ?? parseDocument(textOf(bytes));
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");

/** Most bodies that call themselves YAML are JSON (`kubectl apply --server-side`), which parses a hundred times as fast. */
function parseAsJson(bytes: Uint8Array): ParsedYaml | undefined {
  if (!startsLikeJson(bytes)) return undefined;
  try {
    const { value, duplicateFields, literals } = parseJson(bytes, true);
    // Only the YAML parser knows the lines in which keys stand twice.
    return duplicateFields.length === 0 ? { value, duplicates: [], literals } : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Whether the first byte that is no white space opens an object or list. */
function startsLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09);
  return first === 0x7b || first === 0x5b;
}

function parseDocument(text: string): ParsedYaml {
  const lines = new LineCounter();
  try {
    const document = composeFirst(firstDocumentTokens(text, lines), text.length, lines);
    const converter = new YamlConverter(lines);
    const value = converter.convert(document, [], 0, 0);
    const { duplicates, literals } = converter;
    return {
      value,
      duplicates: duplicates.length === 0 ? [] : [{ message: strictMessage(duplicates) }],
      literals: literals.ifAny,
    };
  } catch (error) {
    // The parser recurses into what is nested; a stack that runs out is the sender's fault.
    if (error instanceof RangeError) throw new YamlError("yaml: exceeded max depth");
    throw error;
  }
}

function firstDocumentTokens(text: string, lines: LineCounter): CST.Token[] {
  if (linesIn(text, maxBodyLines) > maxBodyLines) throw tooLong();
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const guard = new Guard(parser, lines);
  for (const lexeme of new Lexer().lex(text)) {
    guard.checkLexeme(lexeme);
    for (const token of parser.next(lexeme)) {
      guard.checkToken(token);
      tokens.push(token);
      if (token.type === "document") return tokens;
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

/** The content of the first document. Throws the first of its errors. */
function composeFirst(tokens: readonly CST.Token[], end: number, lines: LineCounter): unknown {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false });
  for (const { errors, contents } of withoutStacks(() => [...composer.compose(tokens, true, end)])) {
    const [first] = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
    if (first) throw syntaxError(lines, first.pos[0], first.message);
    return contents;
  }
  return null;
}

/** A document may have thousands of errors, of which one is reported; making their stacks would take most of the time. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Refuses what is broken or too much as soon as it is seen. */
class Guard {
  #lexemes = 0;
  #directives = 0;
  #afterComma = false;
  readonly #parser: Parser;
  readonly #lines: LineCounter;

  constructor(parser: Parser, lines: LineCounter) {
    this.#parser = parser;
    this.#lines = lines;
  }

  checkLexeme(lexeme: string): void {
    const isLong = lexeme.length > longLexeme && linesIn(lexeme, maxLines) > maxLines;
    if (isLong || ++this.#lexemes > maxLexemes) throw tooLong();
    if (this.#parser.stack.length > maxDepth) throw new YamlError("yaml: exceeded max depth");
    if (lexeme === "," && this.#afterComma)
      throw syntaxError(this.#lines, this.#parser.offset, "did not find expected node content");
    this.#afterComma = lexeme === "," || (this.#afterComma && lexeme.trim() === "");
  }

  checkToken(token: CST.Token): void {
    if (token.type === "error") throw syntaxError(this.#lines, token.offset, token.message);
    if (token.type === "directive" && ++this.#directives > maxDirectives) throw tooLong();
  }
}

const tooLong = (): YamlError => new YamlError("yaml: document is too long; send it as JSON");

/** How many lines there are; where there are more than so many, some number above that. */
function linesIn(text: string, most: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && lines <= most; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

function syntaxError(lines: LineCounter, offset: number, message: string): YamlError {
  return new YamlError(`yaml: line ${lines.linePos(offset).line}: ${message.split("\n")[0]}`);
}

function strictMessage(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join("\n")}`;
}

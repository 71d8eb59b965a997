// YAML in, as Kubernetes reads it: the first document, turned into JSON. Aliases are copied within a budget, so that a
// few lines cannot stand for gigabytes.

import { type CST, LineCounter, Parser } from "yaml";
import type { Duplicate } from "../decode-body.js";
import { maxDepth } from "../json/json-inspection.js";
import { JsonSyntaxError } from "../json/json-syntax-error.js";
import type { NumberLiterals } from "../json/number-literals.js";
import { jsonSteps } from "../json/parse-json-steps.js";
import type { MutableJson } from "../mutable-json.js";
import { composingSteps } from "./compose-document.js";
import { lexemes } from "./lexer.js";
import type { LongScalars } from "./long-scalars.js";
import { YamlConverter } from "./yaml-converter.js";
import { YamlError } from "./yaml-error.js";

/** About 25,000 lines; more takes long, and some of it is done at once. */
const maxLexemes = 150_000;
/** So many of them take less than a millisecond. */
const step = 500;
/** Lines of a body. A text goes on over blank lines, and where it ends is found out at once. */
const maxBodyLines = 200_000;
/** Lines of one text, and how long it must be to have so many; folding more takes long, and is done at once. */
const maxLines = 100_000;
const longLexeme = 64 * 1024;
/** They are read again with every piece of a document. */
const maxDirectives = 20;

export interface ParsedYaml {
  readonly value: MutableJson;
  readonly duplicates: readonly Duplicate[];
  readonly literals: NumberLiterals | undefined;
  /** Where it was JSON, and its size was added up. */
  readonly size?: number | undefined;
}

/** How a YAML body is read. Throws YamlError. */
export type YamlReader = (bytes: Uint8Array) => ParsedYaml;

/** Parses a YAML body. Throws YamlError. */
export function parseYaml(bytes: Uint8Array): ParsedYaml {
  return parsingSteps(bytes);
}

/** Parses a YAML body step by step, so that whoever runs it can pause in between. Throws YamlError. What is long may be said otherwise. */
export function parsingSteps(bytes: Uint8Array, longScalars?: LongScalars): ParsedYaml {
  const parsed = parseAsJson(bytes);
  if (parsed) return parsed;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return parseDocument(text, longScalars);
}

/** Most bodies that call themselves YAML are JSON, which is YAML too and parses a hundred times as fast. */
function parseAsJson(bytes: Uint8Array): ParsedYaml | undefined {
  const open = 0x7b;
  if (bytes[0] !== open) return undefined;
  try {
    const { value, duplicateFields, literals, size } = jsonSteps(bytes, true);
    return duplicateFields.length === 0 ? { value, duplicates: [], literals, size } : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function parseDocument(text: string, longScalars?: LongScalars): ParsedYaml {
  const lines = new LineCounter();
  try {
    const tokens = firstDocumentTokens(text, lines);
    const complain = (offset: number, problem: string): YamlError => syntaxError(lines, offset, problem);
    const document = composingSteps(
      tokens,
      text.length,
      ({ pos, message }) => complain(pos[0], message),
      longScalars,
    );
    const converter = new YamlConverter(lines, document, complain);
    const value = converter.convert(document.contents, [], 0, 0);
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

/** The parser is slow and goes on after errors, so it is stopped where a body is broken, too deep or too long. */
function firstDocumentTokens(text: string, lines: LineCounter): CST.Token[] {
  if (linesIn(text, maxBodyLines) > maxBodyLines) throw tooLong();

  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const guard = new Guard(parser, lines);
  for (const lexeme of lexemes(text)) {
    if (lexeme === undefined) continue;
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

/** Refuses what is broken or too much as soon as it is seen. */
class Guard {
  /** Lexemes so far. */
  count = 0;
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
    if (isLong || ++this.count > maxLexemes) throw tooLong();
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
function linesIn(text: string, most = Number.POSITIVE_INFINITY): number {
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

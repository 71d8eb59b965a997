// Patterns come from users, so they run with RE2 semantics: no look-around, no back-references, linear time.
import { patternSize } from "@kubewright/cel";
import { RE2JS, RE2JSException } from "re2js";

/** A compiled pattern, or the reason why it does not compile. */
export interface Pattern {
  readonly source: string;
  /** Whether the pattern occurs in the text; false for a pattern that does not compile. */
  test(text: string): boolean;
  /** The message of Go's regexp package: error parsing regexp: missing closing ]: `[`. */
  readonly error?: string | undefined;
}

/**
 * The size limit of a pattern. One of 9,000 takes 0.1 s and 24 MB to compile with re2js, one of 90,000 0.6 s and 93 MB. Go's limit is some
 * hundred times as high.
 */
const largestPattern = 10_000;
/** The size limit of all patterns of a schema together. */
const largestSchema = 30_000;
/** Up to here a pattern is compiled twice when that makes it faster. */
const largestTwice = 2_000;

/** Compiles a pattern as Go's regexp package understands it. */
export function compilePattern(source: string): Pattern {
  const size = patternSize(source);
  return size > largestPattern ? tooLarge(source) : compileSized(source, size);
}

const tooLarge = (source: string): Pattern => ({
  source,
  test: () => false,
  error: `error parsing regexp: expression too large: \`${source}\``,
});

/** Making a pattern faster takes as long as testing so many texts. */
const testsPerCompilation = 50;

function compileSized(source: string, size: number): Pattern {
  try {
    const expression = RE2JS.compile(source);
    let current = expression;
    let tests = size > largestTwice ? testsPerCompilation : 0;
    const test = remembering((text) => {
      tests += 1;
      if (tests === testsPerCompilation) current = ambiguous(source) ?? expression;
      return current.test(text);
    });
    return { source, test };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { source, test: () => false, error: error.message };
  }
}

/** Compiles patterns, each once however often it occurs: schemas that embed built-in types repeat a handful hundreds of times. */
export type PatternCompiler = (source: string) => Pattern;

/** A compiler for the patterns of one schema. */
export function createPatternCompiler(): PatternCompiler {
  const compiled = new Map<string, Pattern>();
  let sum = 0;
  const compile = (source: string): Pattern => {
    const size = patternSize(source);
    if (size > largestPattern || sum + size > largestSchema) return tooLarge(source);
    sum += size;
    return compileSized(source, size);
  };
  return (source) => {
    const known = compiled.get(source) ?? compile(source);
    compiled.set(source, known);
    return known;
  };
}

/**
 * The same pattern, as an alternative of itself. That keeps the library from its one-pass engine, which tracks groups and takes
 * three times as long as the automaton. Undefined where a pattern cannot stand twice (named groups, very large ones).
 */
function ambiguous(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(`(?:${source})|(?:${source})`);
  } catch {
    return undefined;
  }
}

type Test = (text: string) => boolean;

const rememberedTexts = 256;
const rememberedLength = 64;

/** Fields with a pattern hold the same few short texts again and again: names, amounts, reasons. */
function remembering(test: Test): Test {
  const results = new Map<string, boolean>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = test(text);
    if (text.length > rememberedLength) return result;
    if (results.size >= rememberedTexts) results.clear();
    results.set(text, result);
    return result;
  };
}

// Regular expressions as Kubernetes has them: RE2 syntax, matched in linear time whatever the pattern. Nothing a user writes
// ever reaches JavaScript's own engine.
import { RE2JS } from "re2js";
import { patternSize } from "./pattern-size.js";
import { CelFailure } from "./values/failure.js";
import type { Meter } from "./values/meter.js";

/** A compiled pattern. */
export interface Regex {
  /** Whether the pattern occurs in the text. */
  test(text: string): boolean;
  /** Everything the pattern matches, from the left, at most `limit` times. */
  findAll(text: string, limit: number, meter: Meter): string[];
}

/** Patterns beyond these are longer than any rule needs, and slow to build. */
const maxPatternLength = 10_000;
const maxPatternSize = 10_000;

/** The compiled pattern, or undefined when it is none. */
export function compileRegex(pattern: string): Regex | undefined {
  if (pattern.length > maxPatternLength || patternSize(pattern) > maxPatternSize) return undefined;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
  return {
    test: (text) => compiled.test(text),
    findAll(text, limit, meter) {
      // Finding where a match ends takes a step per state and character.
      meter.work(Math.ceil((text.length * compiled.programSize()) / 16));
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? "");
      return found;
    },
  };
}

/** The compiled pattern; fails as an evaluation does. */
export function requireRegex(pattern: string): Regex {
  const regex = compileRegex(pattern);
  if (regex === undefined) throw new CelFailure(`error parsing regexp: ${pattern.slice(0, 100)}`);
  return regex;
}

/** The work of building a program, in steps of the meter: per step of the program, and fixed. */
const stepsPerInstruction = 24;
const stepsPerProgram = 1_000;

/** The same for a pattern that is known only while an expression is evaluated: a loop may meet one again and again. */
export function evaluatedRegex(pattern: string, meter: Meter): Regex {
  const known = meter.lastRegex;
  if (known?.pattern === pattern) return known.regex;
  meter.work(stepsPerProgram + stepsPerInstruction * patternSize(pattern.slice(0, maxPatternLength)));
  const regex = requireRegex(pattern);
  meter.lastRegex = { pattern, regex };
  return regex;
}

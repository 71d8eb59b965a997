// Patterns come from users, so they run with RE2 semantics: no look-around, no back-references, linear time.
import { RE2JS, RE2JSException } from "re2js";

/** A compiled pattern, or the reason why it does not compile. */
export interface Pattern {
  readonly source: string;
  /** Whether the pattern occurs in the text; false for a pattern that does not compile. */
  test(text: string): boolean;
  /** In Go's words: error parsing regexp: missing closing ]: `[`. */
  readonly error?: string | undefined;
}

/** Compiles a pattern as Go's regexp package understands it. */
export function compilePattern(source: string): Pattern {
  try {
    const expression = RE2JS.compile(source);
    const inner = wholeTextPattern(source);
    if (inner === undefined) return { source, test: (text) => expression.test(text) };
    let whole: RE2JS | undefined;
    return {
      source,
      test(text) {
        whole ??= RE2JS.compile(inner);
        return whole.testExact(text);
      },
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { source, test: () => false, error: error.message };
  }
}

/**
 * The inside of `^…$` where that is the same as matching the whole text, which is several times faster. Flags, quoting
 * and alternatives at the top level change what the anchors mean, so those patterns are left alone.
 */
function wholeTextPattern(source: string): string | undefined {
  if (!source.startsWith("^") || !/[^\\]\$$/.test(source)) return undefined;
  if (/\(\?[^:]|\\Q/.test(source)) return undefined;
  const inner = source.slice(1, -1);
  return hasTopLevelAlternative(inner) ? undefined : inner;
}

function hasTopLevelAlternative(source: string): boolean {
  let depth = 0;
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (character === "\\") i++;
    else if (inClass) inClass = character !== "]";
    else if (character === "[") {
      inClass = true;
      i += classOpening(source, i);
    } else if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === "|" && depth === 0) return true;
  }
  return inClass || depth !== 0;
}

/** How far a literal `]` right after `[` or `[^` reaches; named classes make the scan give up. */
function classOpening(source: string, at: number): number {
  const opening = /^\[\^?\]?/.exec(source.slice(at, at + 3))?.[0] ?? "[";
  return opening.length - 1;
}

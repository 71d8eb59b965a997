// Kubernetes patterns are RE2. Syntax that JavaScript only writes differently is rewritten; syntax that RE2 lacks is refused here, as far
// as it can be recognized, with a clearer message than a compiler has.

/** The RE2 source of a JavaScript regular expression, or why there is none. */
export type Re2Source = { readonly source: string } | { readonly problem: string };

const inlineFlags = new Set(["i", "s", "m"]);
const escapes = /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|([pP])\{([^}]*)\}|.)/gs;

/** Converts the pattern of a schema. */
export function toRe2Source(pattern: RegExp): Re2Source {
  const problem = problemOf(pattern);
  if (problem !== undefined) return { problem };
  const flags = [...pattern.flags].filter((flag) => inlineFlags.has(flag)).join("");
  const source = pattern.source.replace(escapes, rewriteEscape);
  return { source: flags === "" ? source : `(?${flags})${source}` };
}

function problemOf(pattern: RegExp): string | undefined {
  if (pattern.sticky) return "a sticky pattern (flag y) has no meaning in a schema";
  if (pattern.flags.includes("v"))
    return "set operations (flag v) do not exist in RE2, which Kubernetes uses";
  if (/\(\?<?[=!]/.test(pattern.source.replace(escapes, "").replace(/\[[^\]]*\]/g, ""))) {
    return "look-around does not exist in RE2, which Kubernetes uses; use a plainer pattern or a rule()";
  }
  const used = [...pattern.source.matchAll(escapes)];
  if (used.some(([sequence]) => /^\\[1-9k]/.test(sequence))) {
    return "back-references do not exist in RE2, which Kubernetes uses; use a rule()";
  }
  const property = used
    .map((match) => match[4])
    .find((name) => name !== undefined && re2Property(name) === undefined);
  return property === undefined
    ? undefined
    : `the Unicode property ${property} does not exist in RE2, which Kubernetes uses`;
}

/** RE2 knows general categories by their short names, and scripts by name alone. */
function re2Property(name: string): string | undefined {
  if (/^[A-Z][a-z]?$/.test(name)) return name;
  return /^(?:Script|sc)=(\w+)$/.exec(name)?.[1];
}

function rewriteEscape(
  sequence: string,
  braced: string | undefined,
  four: string | undefined,
  p: string | undefined,
  property: string | undefined,
): string {
  const code = braced ?? four;
  if (code !== undefined) return `\\x{${code}}`;
  if (p !== undefined && property !== undefined) return `\\${p}{${re2Property(property)}}`;
  return sequence === "\\/" ? "/" : sequence;
}

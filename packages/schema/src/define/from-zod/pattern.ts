// Kubernetes patterns are RE2; what JavaScript writes differently is rewritten here, and what RE2 lacks is left for the
// compiler of patterns to refuse.

const inlineFlags = new Set(["i", "s", "m"]);

/** The RE2 source of a JavaScript regular expression, or why there is none. */
export function toRe2Source(pattern: RegExp): { readonly source: string } | { readonly problem: string } {
  if (pattern.sticky) return { problem: "a sticky pattern (flag y) has no meaning in a schema" };
  if (/\(\?<?[=!]/.test(withoutEscapes(pattern.source))) {
    return {
      problem: "look-around does not exist in RE2, which Kubernetes uses; use a plainer pattern or a rule()",
    };
  }
  if (/\\[1-9]|\\k</.test(withoutDoubleEscapes(pattern.source))) {
    return { problem: "back-references do not exist in RE2, which Kubernetes uses; use a rule()" };
  }
  const flags = [...pattern.flags].filter((flag) => inlineFlags.has(flag)).join("");
  const source = pattern.source.replace(/\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|[^u])/g, rewriteEscape);
  return { source: flags === "" ? source : `(?${flags})${source}` };
}

/** `\u0041` and `\u{1F600}` become `\x{…}`; `\/` needs no escape outside of JavaScript. */
function rewriteEscape(sequence: string, braced: string | undefined, four: string | undefined): string {
  const code = braced ?? four;
  if (code !== undefined) return `\\x{${code}}`;
  return sequence === "\\/" ? "/" : sequence;
}

function withoutEscapes(source: string): string {
  return source.replace(/\\./gs, "");
}

function withoutDoubleEscapes(source: string): string {
  return source.replaceAll("\\\\", "");
}

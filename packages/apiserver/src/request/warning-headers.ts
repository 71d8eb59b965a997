// Warning headers of a response. Some of them come from webhooks, so what cannot stand in a header is left out, and what would
// make the headers too long is cut.

import { maxWarnings } from "@kubewright/kinds";

/** Beyond `maxWarnings` characters in all, each warning is cut to this many. */
const cutCharacters = 256;

/** RFC 7234 warnings as the API server writes them: code 299, no agent. */
export function warningHeaders(warnings: readonly string[]): Record<string, readonly string[]> {
  if (warnings.length === 0) return {};
  const texts = fitting([...new Set(warnings)].filter(isPrintable));
  return texts.length === 0 ? {} : { warning: texts.map(quoted) };
}

// Lone surrogates have no UTF-8.
const unprintable = /[\p{Cc}\p{Cs}]/u;
const isPrintable = (text: string): boolean => text !== "" && !unprintable.test(text);

const quoted = (text: string): string => `299 - "${text.replace(/[\\"]/g, "\\$&")}"`;

function fitting(texts: readonly string[]): readonly string[] {
  const length = texts.reduce((total, text) => total + [...text].length, 0);
  if (length <= maxWarnings) return texts;
  const kept: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= maxWarnings) break;
    const cut = [...text].slice(0, cutCharacters);
    kept.push(cut.join(""));
    written += cut.length;
  }
  return kept;
}

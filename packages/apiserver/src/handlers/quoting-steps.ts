// Refusals quote what they refuse, which may be megabytes.
import { goQuote } from "@kubewright/api";

/** Characters that are quoted in about a millisecond. */
const fewCharacters = 64 * 1024;

/** A text as `goQuote` quotes it, step by step where it is long. */
export function quotingSteps(text: string, few = fewCharacters): string {
  if (text.length <= few) return goQuote(text);
  let quoted = "";
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + few;
    // Both halves of a character are quoted together.
    while (isFirstHalf(text.charCodeAt(to - 1))) to++;
    quoted += goQuote(text.slice(from, to)).slice(1, -1);
  }
  return `"${quoted}"`;
}

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

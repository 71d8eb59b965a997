// How Go's library writes a string in YAML: without quotes where it would be read as the same string.
import { resolvePlain } from "./resolve-scalar.js";

export type ScalarStyle = "plain" | "single" | "double" | "literal";

/** The style of a string that stands in a block. */
export function scalarStyle(text: string): ScalarStyle {
  if (hasSpecial(text) || / \n/.test(text)) return "double";
  if (text.includes("\n")) return text.endsWith(" ") ? "double" : "literal";
  if (isReadAsOther(text)) return "double";
  return isPlain(text) ? "plain" : "single";
}

/** Line breaks other than line feeds, control characters and what is beyond the first 65,536 characters. */
const hasSpecial = (text: string): boolean =>
  /[^\n\x20-\x7e\u{a0}-\u{d7ff}\u{e000}-\u{fefe}\u{ff00}-\u{fffd}]/u.test(text);

/** Without quotes it would be a number, a time, a boolean or null. */
const isReadAsOther = (text: string): boolean =>
  typeof resolvePlain(text) !== "string" || isTime(text) || base60.test(text);

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const time =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d)| (\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?)?$/;

function isTime(text: string): boolean {
  const match = time.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0, ...clock] = match.slice(1).map((part) => Number(part ?? 0));
  const [hours = 0, minutes = 0, seconds = 0, laterHours = 0, laterMinutes = 0, laterSeconds = 0] = clock;
  if (Math.max(hours, laterHours) > 23) return false;
  if (Math.max(minutes, laterMinutes, seconds, laterSeconds) > 59) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return month >= 1 && month <= 12 && date.getUTCDate() === day;
}

/** Whether text on one line stands for itself. */
const isPlain = (text: string): boolean =>
  !/^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?: |$))/.test(text) && !/^ | $|: |:$| #/.test(text);

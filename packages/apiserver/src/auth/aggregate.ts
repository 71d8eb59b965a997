/** Several errors in one line, as Go joins them: each once, in brackets when there are several. */
export function aggregate(texts: readonly string[]): string {
  const once = [...new Set(texts)];
  return once.length === 1 ? String(once[0]) : `[${once.join(", ")}]`;
}

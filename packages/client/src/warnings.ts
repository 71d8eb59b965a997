// The server warns of deprecated kinds and suspicious fields in a header, on every request. Each text is reported once.

/** Receives the text of an API warning. */
export type WarningHandler = (message: string) => void;

/** Remembers the warnings it has reported. Only so many: a server that never repeats itself must not fill the memory. */
export class WarningSink {
  readonly #handler: WarningHandler | undefined;
  readonly #seen = new Set<string>();

  constructor(handler: WarningHandler | undefined) {
    this.#handler = handler;
  }

  /** Hands on the warnings in a `warning` header that were not reported before. */
  deliver(header: string | readonly string[]): void {
    if (this.#handler === undefined) return;
    for (const value of typeof header === "string" ? [header] : header) {
      for (const text of parseWarnings(value)) this.#once(text);
    }
  }

  #once(text: string): void {
    if (this.#seen.has(text)) return;
    if (this.#seen.size >= 1000) this.#seen.clear();
    this.#seen.add(text);
    this.#handler?.(text);
  }
}

const warning = /(\d{3}) \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g;

/** The texts of code 299, the only one Kubernetes sends. */
export function parseWarnings(header: string): string[] {
  return [...header.matchAll(warning)]
    .filter(([, code]) => code === "299")
    .map(([, , text = ""]) => text.replace(/\\(.)/g, "$1"));
}

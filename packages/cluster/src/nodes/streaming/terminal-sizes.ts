// The sizes of a client's terminal: the client sends each new size as JSON.

/** In characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Remembers what the client said last. */
export class TerminalSizes {
  last: TerminalSize | undefined;

  /** Reads until there is no more. */
  constructor(resizes: AsyncIterable<Uint8Array> | undefined) {
    if (resizes) void this.#follow(resizes);
  }

  async #follow(resizes: AsyncIterable<Uint8Array>): Promise<void> {
    let text = "";
    for await (const chunk of resizes) {
      text += Buffer.from(chunk).toString();
      const end = text.lastIndexOf("}") + 1;
      for (const [each] of text.slice(0, end).matchAll(/\{[^{}]*\}/g)) this.last = sizeIn(each) ?? this.last;
      // Sizes are short: what is longer is none.
      text = text.slice(end).slice(-200);
    }
  }
}

function sizeIn(text: string): TerminalSize | undefined {
  const columns = Number(/"Width":\s*(\d+)/.exec(text)?.[1]);
  const rows = Number(/"Height":\s*(\d+)/.exec(text)?.[1]);
  return columns >= 0 && rows >= 0 ? { columns, rows } : undefined;
}

// A line editor for input of a client. A terminal echoes the input and lets it be corrected; without one, lines are taken as
// they come.
import type { ExecCall } from "../rules/rule.js";

const key = {
  interrupt: 3,
  endOfInput: 4,
  backspace: 8,
  lineFeed: 10,
  carriageReturn: 13,
  delete: 127,
} as const;

/** The lines, without their ends; the last one too if it has none. */
export async function* typedLines(call: Pick<ExecCall, "stdin" | "stdout" | "tty">): AsyncGenerator<string> {
  const line = call.tty ? new EditedLine(call) : new PlainLine();
  for await (const chunk of call.stdin) {
    for (const byte of chunk) {
      const what = await line.take(byte);
      if (what === "end") return;
      if (what === "line") yield line.finish();
    }
  }
  const last = line.finish();
  if (last !== "") yield last;
}

class PlainLine {
  #bytes: number[] = [];

  async take(byte: number): Promise<"line" | "end" | undefined> {
    if (byte === key.lineFeed) return "line";
    this.#bytes.push(byte);
    return undefined;
  }

  /** Drops the last character; false when there is none. */
  shorten(): boolean {
    return this.#bytes.pop() !== undefined;
  }

  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  finish(): string {
    const text = Buffer.from(this.#bytes).toString();
    this.#bytes = [];
    return text;
  }
}

class EditedLine extends PlainLine {
  readonly #call: Pick<ExecCall, "stdout">;

  constructor(call: Pick<ExecCall, "stdout">) {
    super();
    this.#call = call;
  }

  override async take(byte: number): Promise<"line" | "end" | undefined> {
    switch (byte) {
      case key.lineFeed:
      case key.carriageReturn:
        await this.#call.stdout("\r\n");
        return "line";
      case key.endOfInput:
        return this.isEmpty ? "end" : undefined;
      case key.interrupt:
        this.finish();
        await this.#call.stdout("^C\r\n$ ");
        return undefined;
      case key.backspace:
      case key.delete:
        if (this.shorten()) await this.#call.stdout("\b \b");
        return undefined;
      default:
        await this.#call.stdout(Uint8Array.of(byte));
        return super.take(byte);
    }
  }
}

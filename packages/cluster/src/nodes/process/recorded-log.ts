// The recorded log of one run of a container, line by line as it was written.
import type { ContainerLog, LogLine } from "../container-runtime.js";

/** The size of the log that is kept; older lines are gone, as with rotated files. */
const keptCharacters = 10 * 1024 * 1024;
const longestLine = 16 * 1024;

export class RecordedLog implements ContainerLog {
  readonly #now: () => number;
  readonly #lines: LogLine[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #decoders = new Map<
    string,
    { readonly decoder: InstanceType<typeof TextDecoder>; rest: string }
  >();
  #dropped = 0;
  #characters = 0;
  #isOver = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Appends the output of a stream. */
  write(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    const state = this.#decoders.get(stream) ?? { decoder: new TextDecoder(), rest: "" };
    this.#decoders.set(stream, state);
    const lines = `${state.rest}${state.decoder.decode(bytes, { stream: true })}`.split("\n");
    state.rest = lines.pop() ?? "";
    while (state.rest.length > longestLine) {
      lines.push(state.rest.slice(0, longestLine));
      state.rest = state.rest.slice(longestLine);
    }
    for (const text of lines) this.#add(text);
    if (lines.length > 0) this.#wake();
  }

  end(): void {
    if (this.#isOver) return;
    for (const { rest } of this.#decoders.values()) if (rest !== "") this.#add(rest, true);
    this.#isOver = true;
    this.#wake();
  }

  read(from: number): { readonly lines: readonly LogLine[]; readonly next: number } {
    return {
      lines: this.#lines.slice(Math.max(0, from - this.#dropped)),
      next: this.#dropped + this.#lines.length,
    };
  }

  more(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  #add(text: string, isUnfinished = false): void {
    this.#lines.push({ at: this.#now(), text, ...(isUnfinished ? { isUnfinished } : {}) });
    this.#characters += text.length;
    if (this.#characters > keptCharacters) this.#drop();
  }

  /** Some more than must go, so that it is not done for every line. */
  #drop(): void {
    let gone = 0;
    for (; this.#characters > keptCharacters * 0.9 && gone < this.#lines.length - 1; gone++)
      this.#characters -= this.#lines[gone]?.text.length ?? 0;
    this.#lines.splice(0, gone);
    this.#dropped += gone;
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

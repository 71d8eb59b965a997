// Lines for a terminal. One that repeats the last is counted instead of printed again.
import type { Clock, Timer } from "@kubewright/api";

const foldFor = 2_000;

export class FoldedLines {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  #last: string | undefined;
  #repeats = 0;
  #timer: Timer | undefined;

  /** `write` takes one line, without its end. */
  constructor(clock: Clock, write: (line: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Prints a line; lines of one meaning are the same, though the time or the duration in them differs. */
  print(line: string, meaning: string = line): void {
    if (meaning === this.#last) {
      this.#repeats += 1;
      this.#timer ??= this.#clock.setTimer(foldFor, () => this.flush());
      return;
    }
    this.flush();
    this.#last = meaning;
    this.#write(line);
  }

  /** Says how often the last line was repeated, if it was. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#repeats > 0) this.#write(`  … ${this.#repeats} more like this`);
    this.#repeats = 0;
  }
}

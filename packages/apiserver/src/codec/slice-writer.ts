// Slices of about the same size, whatever they are made of.

/** The text that waits to become a slice. */
export class SliceWriter {
  text = "";
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get isFull(): boolean {
    return this.text.length >= this.#size;
  }

  take(): string {
    const { text } = this;
    this.text = "";
    return text;
  }
}

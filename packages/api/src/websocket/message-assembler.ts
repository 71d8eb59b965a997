import { type Frame, FrameError, opcode } from "./frame.js";

/** Puts the fragments of a message together. */
export class MessageAssembler {
  readonly #maxLength: number;
  #fragments: Buffer[] = [];
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Returns the message that a data frame completes. Throws FrameError. */
  add({ isFinal, payload, opcode: code }: Frame): Buffer | undefined {
    if ((code === opcode.continuation) !== this.#fragments.length > 0)
      throw new FrameError("a message was interrupted");
    this.#length += payload.length;
    if (this.#length > this.#maxLength) throw new FrameError("a message is too long", 1009);
    this.#fragments.push(payload);
    if (!isFinal) return undefined;
    const message = this.#fragments.length === 1 ? payload : Buffer.concat(this.#fragments);
    this.#fragments = [];
    this.#length = 0;
    return message;
  }
}

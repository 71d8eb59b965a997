// Bytes that came and wait to be read. A reader that is behind stops the whole connection.
import type { MessageSocket } from "@kubewright/api";

/** As much may wait, in bytes. */
const enough = 256 * 1024;

export class ByteInbox implements AsyncIterable<Uint8Array> {
  readonly #socket: Pick<MessageSocket, "pause" | "resume">;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(socket: Pick<MessageSocket, "pause" | "resume">) {
    this.#socket = socket;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > enough) this.#socket.pause();
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#bytes -= chunk.length;
        if (this.#bytes <= enough) this.#socket.resume();
        yield chunk;
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }
}

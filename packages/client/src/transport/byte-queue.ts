// Bytes between a socket that pushes and a reader that pulls. The socket is paused when the reader falls behind.

/** The side of the socket that the queue controls. */
export interface ByteSource {
  pause(): void;
  resume(): void;
  /** The reader wants no more. */
  cancel(): void;
}

const highWater = 1024 * 1024;

/** An async iterable fed by `push`, ended by `end` or `fail`. For one reader. */
export class ByteQueue implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #source: ByteSource;
  #chunks: Uint8Array[] = [];
  #buffered = 0;
  #paused = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #reader: PromiseWithResolvers | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    if (this.#reader) this.#settle((reader) => reader.resolve({ value: chunk, done: false }));
    else this.#keep(chunk);
  }

  end(): void {
    this.#ended = true;
    this.#settle((reader) => reader.resolve({ value: undefined, done: true }));
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = { error };
    this.#settle((reader) => {
      this.#failure = undefined;
      reader.reject(error);
    });
  }

  /** Not an async function: one that returns a promise takes three microtasks more to settle, and each change of a watch waits here. */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#buffered > 0) return Promise.resolve({ value: this.#take(), done: false });
    if (this.#failure) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks = [];
    this.#buffered = 0;
    this.#failure = undefined;
    if (!this.#ended) this.#source.cancel();
    this.end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < highWater || this.#paused) return;
    this.#paused = true;
    this.#source.pause();
  }

  /** All that waits, in one piece. */
  #take(): Uint8Array {
    const [first] = this.#chunks;
    const chunk = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#buffered);
    this.#chunks = [];
    this.#buffered = 0;
    if (this.#paused) {
      this.#paused = false;
      this.#source.resume();
    }
    return chunk;
  }

  #settle(how: (reader: PromiseWithResolvers) => void): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) how(reader);
  }
}

interface PromiseWithResolvers {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
}

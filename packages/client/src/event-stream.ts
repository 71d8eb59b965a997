// The events of a watch, decoded as they are asked for. Written as an iterator by hand: a watch of a busy resource passes
// tens of thousands of events a second through here, and each layer of generators would double what that costs.
import { type Clock, isObject, TimeoutError, type WatchEvent } from "@kubewright/api";
import { parseJson } from "./body.js";
import { named } from "./call.js";
import { ConnectionError } from "./connection-error.js";
import { LineSplitter } from "./line-splitter.js";
import { statusError } from "./status-error.js";

export interface EventStreamOptions {
  /** The beginning of messages. */
  readonly what: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** A stream silent for longer than this is dead. */
  readonly idleTimeout?: number | undefined;
  /** Decodes one event. Default: JSON.parse. */
  readonly decode?: ((document: Uint8Array) => unknown) | undefined;
}

type Event = WatchEvent<unknown>;
type Result = IteratorResult<Event, undefined>;
const done: Result = { value: undefined, done: true };

/** Decodes a stream of bytes into events. */
export class EventStream implements AsyncIterableIterator<Event, undefined> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #options: EventStreamOptions;
  readonly #splitter = new LineSplitter();
  #lines: readonly Uint8Array[] = [];
  #position = 0;
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>, options: EventStreamOptions) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#options = options;
  }

  async next(): Promise<Result> {
    for (;;) {
      while (this.#position < this.#lines.length) {
        const line = this.#lines[this.#position++];
        if (line && !isEmpty(line)) return this.#result(line);
      }
      if (this.#ended) return done;
      await this.#fill();
    }
  }

  /** The next event, if it has come already and is a good one; a bad one is left for `next` to report. */
  nextNow(): Event | undefined {
    const { decode = parseJson } = this.#options;
    for (; this.#position < this.#lines.length; this.#position++) {
      const line = this.#lines[this.#position];
      if (!line || isEmpty(line)) continue;
      const event = decoded(line, decode);
      if (!isEvent(event) || event.type === "ERROR") return undefined;
      this.#position++;
      return event;
    }
    return undefined;
  }

  async return(): Promise<Result> {
    this.#lines = [];
    this.#position = 0;
    if (this.#ended) return done;
    this.#ended = true;
    await this.#chunks.return?.();
    return done;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #fill(): Promise<void> {
    let chunk: IteratorResult<Uint8Array>;
    try {
      chunk = await this.#nextChunk();
    } catch (error) {
      this.#ended = true;
      throw named(this.#options, error);
    }
    this.#position = 0;
    if (!chunk.done) {
      this.#lines = this.#splitter.push(chunk.value);
      return;
    }
    this.#ended = true;
    this.#lines = [this.#splitter.end()];
  }

  #nextChunk(): Promise<IteratorResult<Uint8Array>> {
    const { idleTimeout, clock } = this.#options;
    const chunk = this.#chunks.next();
    if (idleTimeout === undefined) return chunk;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(idleTimeout, () => {
        reject(new TimeoutError(`no data for ${idleTimeout} ms; the connection is considered dead`));
        this.#chunks.return?.().catch(() => undefined);
      });
      chunk.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  #result(line: Uint8Array): Result | Promise<never> {
    const { what, decode = parseJson } = this.#options;
    try {
      return { value: checkEvent(what, decoded(line, decode)), done: false };
    } catch (error) {
      return this.return().then(() => Promise.reject(error));
    }
  }
}

/** A line with nothing on it, or only the return of its carriage. */
function isEmpty(line: Uint8Array): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 0x0d);
}

function decoded(line: Uint8Array, decode: (document: Uint8Array) => unknown): unknown {
  try {
    return decode(line);
  } catch {
    return undefined;
  }
}

/** An event as it should be; an ERROR event is the server failing the watch, so it is thrown. */
export function checkEvent(what: string, event: unknown): Event {
  if (!isEvent(event)) {
    throw new ConnectionError(`${what}: the stream holds something that is no event`, "malformed");
  }
  if (event.type === "ERROR") throw statusError(what, 500, event.object);
  return event;
}

function isEvent(event: unknown): event is Event {
  if (!isObject(event)) return false;
  const { type } = event;
  return (
    type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK" || type === "ERROR"
  );
}

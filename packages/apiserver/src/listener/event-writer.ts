// Watch events on their way to a socket: encoded once however many watchers there are, written in batches.
import type { Writable } from "node:stream";
import type { WatchEvent } from "@kubewright/api";
import { drained } from "./sink.js";

/** Bytes that are written at once at most, but for events that are larger themselves. */
const batchBytes = 64 * 1024;
const recentLimit = 256;
const recentBytes = 8 * 1024 * 1024;

/** The newest lines. All watchers of a change ask for it within a moment, so a few entries save nearly all the work. */
class RecentLines {
  readonly #lines = new Map<unknown, Line>();
  #bytes = 0;

  of({ type, object }: WatchEvent<unknown>): Buffer {
    const known = this.#lines.get(object);
    if (known?.type === type) return known.bytes;
    const bytes = Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
    if (known) this.#forget(object, known);
    this.#lines.set(object, { type, bytes });
    this.#bytes += bytes.length;
    for (const [oldest, line] of this.#lines) {
      if (this.#lines.size <= recentLimit && this.#bytes <= recentBytes) break;
      this.#forget(oldest, line);
    }
    return bytes;
  }

  #forget(object: unknown, line: Line): void {
    this.#lines.delete(object);
    this.#bytes -= line.bytes.length;
  }
}

interface Line {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Collects lines until the end of the turn, or until there are many. */
class Batch {
  readonly #sink: Writable;
  #lines: Buffer[] = [];
  #bytes = 0;
  #flushing: NodeJS.Immediate | undefined;

  constructor(sink: Writable) {
    this.#sink = sink;
  }

  add(line: Buffer): void {
    this.#lines.push(line);
    this.#bytes += line.length;
    if (this.#bytes >= batchBytes) this.flush();
    else this.#flushing ??= setImmediate(() => this.flush());
  }

  flush(): void {
    if (this.#flushing) clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const [first] = this.#lines;
    if (!first) return;
    if (!isOver(this.#sink))
      this.#sink.write(this.#lines.length === 1 ? first : Buffer.concat(this.#lines, this.#bytes));
    this.#lines = [];
    this.#bytes = 0;
  }
}

/** The client is gone, or the server has ended the answer. */
const isOver = (sink: Writable): boolean => sink.destroyed || sink.writableEnded;

export type EventWriter = (
  events: AsyncIterable<WatchEvent<unknown>>,
  sink: Writable,
  patience: number,
) => Promise<void>;

/** Makes the function that writes the events of one watch; those made by one call share encodings. */
export function eventWriter(): EventWriter {
  const recent = new RecentLines();
  return async (events, sink, patience) => {
    const batch = new Batch(sink);
    for await (const event of events) {
      if (isOver(sink)) return;
      batch.add(recent.of(event));
      if (sink.writableNeedDrain) await drained(sink, patience);
    }
    batch.flush();
  };
}

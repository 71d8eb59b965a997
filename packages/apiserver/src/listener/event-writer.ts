// The event writer: sends watch events to a socket, encoded once however many watches there are, written in batches.
import type { Writable } from "node:stream";
import { stringifyJson, type WatchEvent } from "@kubewright/api";
import { encodeProtobufEvent } from "@kubewright/machinery";
import { EventStream } from "../watches/event-stream.js";
import { FlushQueue } from "./flush-queue.js";

/** Bytes that are collected, and written at once, but for events that are larger themselves. */
const batchBytes = 64 * 1024;
/** Bytes that are sent first, as Go's servers do: a client has something to do while the rest of what it missed is made. */
const firstBytes = 2048;
const recentLimit = 256;
const recentBytes = 8 * 1024 * 1024;

/** The newest lines. All watchers of a change ask for it within a moment, so a few entries save nearly all the work. */
class RecentLines {
  readonly #lines = new Map<unknown, Line>();
  readonly #encode: EncodeEvent;
  #bytes = 0;

  constructor(encode: EncodeEvent) {
    this.#encode = encode;
  }

  of(event: WatchEvent<unknown>): Buffer {
    const { type, object } = event;
    const known = this.#lines.get(object);
    if (known?.type === type) return known.bytes;
    const bytes = this.#encode(event);
    this.#keep(object, { type, bytes });
    return bytes;
  }

  #keep(object: unknown, line: Line): void {
    const known = this.#lines.get(object);
    if (known) this.#forget(object, known);
    this.#lines.set(object, line);
    this.#bytes += line.bytes.length;
    for (const [oldest, old] of this.#lines) {
      if (this.#lines.size <= recentLimit && this.#bytes <= recentBytes) break;
      this.#forget(oldest, old);
    }
  }

  #forget(object: unknown, line: Line): void {
    this.#lines.delete(object);
    this.#bytes -= line.bytes.length;
  }
}

type EncodeEvent = (event: WatchEvent<unknown>) => Buffer;

const encodeLine: EncodeEvent = ({ type, object }) =>
  Buffer.from(`{"type":"${type}","object":${stringifyJson(object)}}\n`);

interface Line {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * The lines one client is to get next: those of one round of the event loop, and those that come while the last ones are being written. The
 * busier the server or the slower the client, the more of them travel together.
 */
class Batch {
  readonly #sink: Writable;
  #lines: Buffer[] = [];
  #bytes = 0;
  #isWriting = false;
  #isFirst = true;
  readonly #queue: FlushQueue;
  #isQueued = false;
  #wake: (() => void) | undefined;

  constructor(sink: Writable, queue: FlushQueue) {
    this.#sink = sink;
    this.#queue = queue;
  }

  /** Whether the client has to take something before there is room for more. */
  get isFull(): boolean {
    return this.#bytes >= batchBytes;
  }

  add(line: Buffer): void {
    if (this.#isFirst && this.#bytes + line.length > firstBytes) this.flush();
    this.#lines.push(line);
    this.#bytes += line.length;
    if (!this.#isWriting) this.#enqueue();
  }

  flush(): number {
    this.#isQueued = false;
    const [first] = this.#lines;
    if (!first || this.#isWriting || isOver(this.#sink)) return 0;
    this.#isWriting = true;
    this.#isFirst = false;
    const bytes = this.#lines.length === 1 ? first : Buffer.concat(this.#lines, this.#bytes);
    this.#lines = [];
    this.#bytes = 0;
    this.#sink.write(bytes, () => this.#written());
    this.#wake?.();
    return bytes.length;
  }

  /** Resolves when all that was added is written, or the client is gone: because it left, or because it read nothing for too long. */
  flushed(stallTimeout: number): Promise<void> {
    if (!this.#isWriting) this.#flushSoon();
    if (this.#lines.length === 0 || isOver(this.#sink)) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#sink.destroy(), stallTimeout);
      const done = (): void => {
        clearTimeout(timer);
        this.#sink.off("close", done);
        this.#wake = undefined;
        resolve();
      };
      this.#sink.on("close", done);
      this.#wake = done;
    });
  }

  /** Defers a flush where there is much to write, because hundreds of watches may get the same event. */
  #flushSoon(): void {
    if (this.#lines.length > 0 && !this.#queue.tryNow(this)) this.#enqueue();
  }

  #enqueue(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#queue.add(this);
  }

  #written(): void {
    this.#isWriting = false;
    this.#flushSoon();
  }
}

/** The client is gone, or the server has ended the answer. */
const isOver = (sink: Writable): boolean => sink.destroyed || sink.writableEnded;

/** Writes the events of one watch: as lines of JSON, or in frames of protobuf. */
export type EventWriter = (
  events: AsyncIterable<WatchEvent<unknown>>,
  sink: Writable,
  stallTimeout: number,
  encoding?: "json" | "protobuf",
) => Promise<void>;

/** Makes the function that writes the events of one watch; those made by one call share encodings. */
export function eventWriter(): EventWriter {
  const encodings = { json: new RecentLines(encodeLine), protobuf: new RecentLines(encodeProtobufEvent) };
  const queue = new FlushQueue();
  return async (events, sink, stallTimeout, encoding = "json") => {
    const recent = encodings[encoding];
    const batch = new Batch(sink, queue);
    const sizes = events instanceof EventStream ? events.count?.sizes : undefined;
    for await (const event of events) {
      if (isOver(sink)) return;
      const line = recent.of(event);
      sizes?.observe(line.length);
      batch.add(line);
      if (batch.isFull) await batch.flushed(stallTimeout);
    }
    await batch.flushed(stallTimeout);
  };
}

// Backpressure: writes no faster than the client reads, and gives up on a client that stalls.
import type { Writable } from "node:stream";
import { yieldToEventLoop } from "../time-slice.js";

/** Resolves when the sink has drained or closed. A sink that takes nothing for `stallTimeout` milliseconds is destroyed. */
export function drained(sink: Writable, stallTimeout: number): Promise<void> {
  if (sink.destroyed || !sink.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => sink.destroy(), stallTimeout);
    const done = (): void => {
      clearTimeout(timer);
      sink.off("drain", done);
      sink.off("close", done);
      resolve();
    };
    sink.on("drain", done);
    sink.on("close", done);
  });
}

/**
 * Writes pieces as they are made and yields to the event loop between them, after a wait for the client too: hundreds of clients may become
 * ready for more in the same moment.
 */
export async function pour(
  pieces: Iterable<string | Uint8Array>,
  sink: Writable,
  stallTimeout: number,
): Promise<void> {
  for (const piece of pieces) {
    if (sink.destroyed) return;
    if (!sink.write(piece)) await drained(sink, stallTimeout);
    await yieldToEventLoop();
  }
}

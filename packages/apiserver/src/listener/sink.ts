// Writing no faster than the other side reads, and not waiting for ever for one that does not.
import type { Writable } from "node:stream";
import { yieldToEventLoop } from "../time-slice.js";

/** Resolves when the sink takes more, or is gone. A sink that takes nothing for `patience` milliseconds is destroyed. */
export function drained(sink: Writable, patience: number): Promise<void> {
  if (sink.destroyed || !sink.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => sink.destroy(), patience);
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

/** Writes pieces as they are made and yields to the event loop between them. */
export async function pour(
  pieces: Iterable<string | Uint8Array>,
  sink: Writable,
  patience: number,
): Promise<void> {
  for (const piece of pieces) {
    if (sink.destroyed) return;
    if (sink.write(piece)) await yieldToEventLoop();
    else await drained(sink, patience);
  }
}

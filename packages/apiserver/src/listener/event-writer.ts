// Watch events on their way to a socket: encoded once however many watchers there are, written in batches.
import type { Writable } from "node:stream";
import type { WatchEvent } from "@kubewright/api";

const recentLimit = 256;

/** The newest encodings. All watchers of a change ask for it within a moment, so a few entries save nearly all the work. */
class RecentEncodings {
  readonly #texts = new Map<unknown, string>();

  textOf(object: unknown): string {
    let text = this.#texts.get(object);
    if (text === undefined) {
      text = JSON.stringify(object);
      this.#texts.set(object, text);
      if (this.#texts.size > recentLimit) {
        for (const oldest of this.#texts.keys()) {
          this.#texts.delete(oldest);
          break;
        }
      }
    }
    return text;
  }
}

/** Makes the function that writes the events of one watch; those made by one call share encodings. */
export function eventWriter(): (events: AsyncIterable<WatchEvent<unknown>>, sink: Writable) => Promise<void> {
  const encodings = new RecentEncodings();
  return async (events, sink) => {
    let batch = "";
    let flushing: NodeJS.Immediate | undefined;
    const flush = (): void => {
      flushing = undefined;
      if (batch !== "" && !sink.destroyed) sink.write(batch);
      batch = "";
    };
    for await (const { type, object } of events) {
      if (sink.destroyed) return;
      batch += `{"type":"${type}","object":${encodings.textOf(object)}}\n`;
      flushing ??= setImmediate(flush);
      if (sink.writableNeedDrain) await drained(sink);
    }
    if (flushing) clearImmediate(flushing);
    flush();
  };
}

/** Resolves when the sink takes more, or is gone. */
function drained(sink: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      sink.off("drain", done);
      sink.off("close", done);
      resolve();
    };
    sink.on("drain", done);
    sink.on("close", done);
    if (sink.destroyed) done();
  });
}

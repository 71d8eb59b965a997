// The end of a log: frames are appended to it and brought to the disk.
import { close, closeSync, fdatasync, fsyncSync, ftruncateSync, openSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";
import { firstLine } from "./data-file.js";

const writing = promisify(write);
const syncing = promisify(fdatasync);
const closing = promisify(close);

export class LogWriter {
  readonly #descriptor: number;
  #end: number;

  private constructor(descriptor: number, end: number) {
    this.#descriptor = descriptor;
    this.#end = end;
  }

  /** Begins a log, or goes on where the last whole frame of one ends; what comes after is cut off. */
  static open(path: string, end: number): LogWriter {
    const descriptor = openSync(path, end === 0 ? "w" : "r+", 0o600);
    try {
      ftruncateSync(descriptor, end);
      const begun = end === 0 ? writeSync(descriptor, firstLine("log"), 0) : end;
      fsyncSync(descriptor);
      return new LogWriter(descriptor, begun);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Bytes so far. */
  get size(): number {
    return this.#end;
  }

  /** Resolves when the frame is on disk. */
  async append(frame: Buffer): Promise<void> {
    let done = 0;
    while (done < frame.length) {
      const { bytesWritten } = await writing(
        this.#descriptor,
        frame,
        done,
        frame.length - done,
        this.#end + done,
      );
      done += bytesWritten;
    }
    await syncing(this.#descriptor);
    this.#end += frame.length;
  }

  close(): Promise<void> {
    return closing(this.#descriptor);
  }
}

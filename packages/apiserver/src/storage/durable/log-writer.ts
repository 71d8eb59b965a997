// The end of a log: frames are appended to it and brought to the disk.
//
// The file is made larger ahead of what is written, with zeros: bringing bytes to the disk that are part of the file already takes a
// fraction of the time, because nothing about the file itself changes.
import { close, closeSync, fdatasync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { firstLine } from "./data-file.js";

const syncing = promisify(fdatasync);
const closing = promisify(close);

/** Bytes a file is ahead of what is written, at most. */
const ahead = 1024 * 1024;

export class LogWriter {
  readonly #descriptor: number;
  #end: number;
  /** The size of the file. */
  #allocated: number;

  private constructor(descriptor: number, end: number) {
    this.#descriptor = descriptor;
    this.#end = end;
    this.#allocated = end;
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
    const end = this.#end + frame.length;
    if (end > this.#allocated) this.#allocate(end + ahead);
    // To the system's memory only, which is quick; the disk is what is waited for.
    this.#write(frame, this.#end);
    await syncing(this.#descriptor);
    this.#end = end;
  }

  async close(): Promise<void> {
    ftruncateSync(this.#descriptor, this.#end);
    await closing(this.#descriptor);
  }

  #allocate(size: number): void {
    this.#write(Buffer.alloc(size - this.#allocated), this.#allocated);
    this.#allocated = size;
  }

  #write(bytes: Buffer, position: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
  }
}

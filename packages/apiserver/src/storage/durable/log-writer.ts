// The end of a log: frames are appended to it and brought to the disk.
//
// The file is made larger ahead of what is written, with zeros: bringing bytes to the disk that are part of the file already takes a
// fraction of the time, because nothing about the file itself changes.
import {
  close,
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeFileSync,
  writeSync,
} from "node:fs";
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
      const first = end === 0 ? firstLine("log") : "";
      writeFileSync(descriptor, first);
      fsyncSync(descriptor);
      return new LogWriter(descriptor, end + first.length);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Bytes so far. */
  get size(): number {
    return this.#end;
  }

  /** Makes the file large enough for that many bytes more. Where this fails nothing was lost, and it can be tried again. */
  makeRoom(bytes: number): void {
    const end = this.#end + bytes;
    if (end <= this.#allocated) return;
    try {
      this.#allocate(end + ahead);
    } catch {
      // Little is left: what is needed may still fit.
      this.#allocate(end);
    }
  }

  /** Resolves when the frame, for which room was made, is on disk. */
  async append(frame: Buffer): Promise<void> {
    const end = this.#end + frame.length;
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

/** Cuts off what comes after the last whole frame of a log. */
export function cutLog(path: string, end: number): void {
  const descriptor = openSync(path, "r+");
  try {
    ftruncateSync(descriptor, end);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

// The journal on disk. Changes that come while others are being written are written together: one write and one sync for all.
//
// Guarantees
// - `flushed()` resolves when all that was appended before it is on disk, and no subscriber is notified of a change before it is.
// - Changes are written in their order: what is on disk is always a beginning of what was appended.
// - Where the disk has no room, or the process no descriptor for the next log, nothing is lost: writes are refused, and what was
//   appended is tried again until it is written.
// - After any other failure nothing is written any more. What reached the disk is not known then, and trying again could hide a gap.
// - Nothing is acknowledged, and no file begun or removed, once another process has taken the lock of the directory.
import { rmSync } from "node:fs";
import type { Clock } from "@kubewright/api";
import type { Journal } from "../journal.js";
import type { StorageContents } from "../memory-storage.js";
import type { Change } from "../storage.js";
import type { DataFiles } from "./data-files.js";
import type { DirectoryLock } from "./directory-lock.js";
import { encodeFrame } from "./frame.js";
import { LogWriter } from "./log-writer.js";
import { changeLine } from "./record.js";
import { writeSnapshot } from "./snapshot-writer.js";

/** Characters that are written in one go, about. */
const batchSize = 4 * 1024 * 1024;

export interface DurableJournalOptions {
  readonly files: DataFiles;
  /** The log to go on with. */
  readonly log: { readonly generation: number; readonly end: number };
  readonly revision: number;
  /** Bytes of logs, at least, after which a snapshot takes their place; more if the last snapshot was larger. */
  readonly snapshotAfter: number;
  /** Bytes of logs there are since the last snapshot. */
  readonly logBytes: number;
  readonly clock: Clock;
  /** The lock of the directory. */
  readonly lock: Pick<DirectoryLock, "isHeld">;
  /** All there is now. */
  readonly contents: () => StorageContents;
  readonly onError: (error: unknown) => void;
}

interface Appended {
  readonly resource: string;
  readonly change: Change;
  readonly line: string;
}

interface Waiting {
  readonly revision: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** The disk did not take what was written. */
export class JournalError extends Error {
  override readonly name = "JournalError";
}

/** There is no room on the disk: nothing was written, and it is tried again. */
class NoRoomError extends Error {
  override readonly name = "NoRoomError";
}

/** Milliseconds until a disk without room is tried again. */
const retryAfter = 1_000;

export class DurableJournal implements Journal {
  readonly #options: DurableJournalOptions;
  readonly #files: DataFiles;
  #log: LogWriter;
  #generation: number;
  /** Logs since the last snapshot besides the one that is written. */
  #olderBytes: number;
  /** Bytes of logs after which the next snapshot is due. */
  #dueAt: number;
  #snapshot: Promise<void> | undefined;
  /** Appended and not written yet, in order. */
  #appended: Appended[] = [];
  #appendedRevision: number;
  #flushedRevision: number;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: JournalError | undefined;
  /** Why nothing can be written at the moment. */
  #noRoom: JournalError | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  #notify: (resource: string, change: Change) => void = () => undefined;

  constructor(options: DurableJournalOptions) {
    const { files, log, revision } = options;
    this.#options = options;
    this.#files = files;
    this.#generation = log.generation;
    this.#log = LogWriter.open(files.path("log", log.generation), log.end);
    files.sync();
    this.#olderBytes = options.logBytes - log.end;
    this.#dueAt = options.snapshotAfter;
    this.#appendedRevision = revision;
    this.#flushedRevision = revision;
  }

  get flushedRevision(): number {
    return this.#flushedRevision;
  }

  onFlushed(notify: (resource: string, change: Change) => void): void {
    this.#notify = notify;
  }

  check(): void {
    if (this.#failure) throw this.#failure;
    if (this.#noRoom) throw this.#noRoom;
    if (this.#closed) throw new JournalError("the data directory was closed");
  }

  append(resource: string, change: Change): void {
    this.#appended.push({ resource, change, line: changeLine(resource, change) });
    this.#appendedRevision = change.revision;
    this.#running ??= this.#run();
  }

  flushed(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    const revision = this.#appendedRevision;
    if (revision <= this.#flushedRevision) return Promise.resolve();
    if (this.#noRoom) return Promise.reject(this.#noRoom);
    return new Promise((resolve, reject) => this.#waiting.push({ revision, resolve, reject }));
  }

  /** Writes what is there, and ends. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    if (this.#noRoom) this.#running ??= this.#run();
    await this.#running;
    await this.#snapshot;
    await this.#log.close();
  }

  /** Writes until there is nothing to write; time stands still meanwhile where it is virtual. */
  async #run(): Promise<void> {
    const rest = this.#options.clock.busy("writing changes to disk");
    try {
      // Changes of concurrent requests are written together.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.#appended.length > 0) {
        await this.#writeBatch();
        if (this.#isSnapshotDue) await this.#beginSnapshot();
      }
    } catch (error) {
      if (error instanceof NoRoomError) this.#pause(error);
      else this.#fail(error);
    } finally {
      this.#running = undefined;
      rest();
    }
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#take();
    const frame = encodeFrame(batch.map(({ line }) => line).join(""));
    try {
      this.#log.makeRoom(frame.length);
    } catch (error) {
      this.#appended.unshift(...batch);
      throw new NoRoomError(messageOf(error), { cause: error });
    }
    this.#checkLock();
    await this.#log.append(frame);
    // An owner that was stopped meanwhile may have written what its successor has not read.
    this.#checkLock();
    this.#noRoom = undefined;
    this.#flushedRevision = batch.at(-1)?.change.revision ?? this.#flushedRevision;
    for (const { resource, change } of batch) this.#release(resource, change);
    const done = this.#waiting.findIndex(({ revision }) => revision > this.#flushedRevision);
    for (const { resolve } of this.#waiting.splice(0, done === -1 ? this.#waiting.length : done)) resolve();
  }

  /** Keeps errors of subscribers apart from failures of the disk. */
  #release(resource: string, change: Change): void {
    try {
      this.#notify(resource, change);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #take(): readonly Appended[] {
    let size = 0;
    const end = this.#appended.findIndex(({ line }) => {
      size += line.length;
      return size > batchSize;
    });
    const batch = this.#appended;
    if (end === -1) {
      this.#appended = [];
      return batch;
    }
    this.#appended = batch.splice(end + 1);
    return batch;
  }

  get #isSnapshotDue(): boolean {
    return !this.#snapshot && !this.#closed && this.#olderBytes + this.#log.size > this.#dueAt;
  }

  /** All up to now goes to this log, all that comes to the next, and what is there now becomes the snapshot between them. */
  async #beginSnapshot(): Promise<void> {
    const contents = this.#options.contents();
    while (this.#flushedRevision < contents.revision) await this.#writeUpTo(contents.revision);
    const generation = this.#generation + 1;
    this.#checkLock();
    const next = this.#openLog(generation);
    if (!next) return;
    this.#olderBytes += this.#log.size;
    await this.#log.close();
    this.#log = next;
    this.#generation = generation;
    this.#snapshot = this.#finishSnapshot(generation, contents);
  }

  /** A log that cannot be opened, for want of descriptors or room, is tried again later: this one goes on until then. */
  #openLog(generation: number): LogWriter | undefined {
    const path = this.#files.path("log", generation);
    let next: LogWriter | undefined;
    try {
      next = LogWriter.open(path, 0);
      this.#files.sync();
      return next;
    } catch (error) {
      next?.close().catch(this.#options.onError);
      rmSync(path, { force: true });
      this.#dueAt = this.#olderBytes + this.#log.size + this.#options.snapshotAfter;
      this.#options.onError(error);
      return undefined;
    }
  }

  async #writeUpTo(revision: number): Promise<void> {
    const later = this.#appended.findIndex(({ change }) => change.revision > revision);
    const held = later === -1 ? [] : this.#appended.splice(later);
    const written = this.#writeBatch();
    // Changes that arrived meanwhile come after those that were held back.
    this.#appended.push(...held);
    await written;
  }

  /** A snapshot that cannot be written is tried again later: the logs hold everything until then. */
  async #finishSnapshot(generation: number, contents: StorageContents): Promise<void> {
    const { snapshotAfter, onError } = this.#options;
    const before = this.#olderBytes;
    try {
      this.#dueAt = Math.max(snapshotAfter, await writeSnapshot(this.#files, generation, contents));
      this.#checkLock();
      this.#files.removeBefore(generation);
      this.#olderBytes -= before;
    } catch (error) {
      this.#dueAt = this.#olderBytes + this.#log.size + snapshotAfter;
      onError(error);
    } finally {
      this.#snapshot = undefined;
    }
  }

  #checkLock(): void {
    if (!this.#options.lock.isHeld)
      throw new Error("another process has taken over the directory, or its lock was removed");
  }

  /** Refuses writes until there is room again, and reports that once. What was appended stays appended. */
  #pause(cause: NoRoomError): void {
    const text = `the data directory ${this.#files.directory} cannot be written at the moment: ${cause.message}`;
    if (!this.#noRoom) this.#options.onError(new Error(`${text}; it is tried again every second`, { cause }));
    this.#noRoom = new JournalError(text, { cause });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#noRoom);
    if (this.#closed) return;
    this.#retry = setTimeout(() => {
      this.#running ??= this.#run();
    }, retryAfter);
  }

  #fail(cause: unknown): void {
    const text = `the data directory ${this.#files.directory} cannot be written: ${messageOf(cause)}`;
    this.#failure = new JournalError(text, { cause });
    this.#appended = [];
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    this.#options.onError(this.#failure);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

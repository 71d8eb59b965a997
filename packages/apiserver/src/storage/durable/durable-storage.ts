// A store that lives in a directory: everything in memory, and every change on disk before any client sees it.
import { existsSync, mkdirSync } from "node:fs";
import { type Clock, systemClock } from "@kubewright/api";
import { MemoryStorage, type MemoryStorageOptions, type StorageContents } from "../memory-storage.js";
import { DataError } from "./data-error.js";
import { DataFiles } from "./data-files.js";
import { type DirectoryLock, type LockTimes, lockDirectory } from "./directory-lock.js";
import { DurableJournal } from "./durable-journal.js";
import { cutLog } from "./log-writer.js";
import { type Recovered, recover, type TornTail } from "./recover.js";
import { writeSnapshotNow } from "./snapshot-writer.js";

/** Options of storage that keeps its objects in a directory. */
export interface DurableStorageOptions extends Pick<MemoryStorageOptions, "history" | "compactionInterval"> {
  /** Made where there is none. */
  readonly directory: string;
  readonly clock?: Clock | undefined;
  /** The initial contents of a new directory; called only there. */
  readonly initial?: (() => StorageContents | undefined) | undefined;
  /** Refuse a directory with a state. */
  readonly onlyNew?: boolean | undefined;
  /** A file that is made after the state: a directory that has it and no state is refused. */
  readonly madeAfter?: string | undefined;
  /** Bytes of changes, at least, after which a snapshot takes their place. */
  readonly snapshotAfter?: number | undefined;
  /** How often the lock is touched, and how long a starter waits for that. Default: every 500 ms, and 5 s. */
  readonly lockTimes?: LockTimes | undefined;
  /** Hears that the disk fails. From then on nothing is written, and every request that would need it fails. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A store in a directory, until it is closed. */
export interface DurableStorage {
  readonly storage: MemoryStorage;
  /** Whether there was nothing before. */
  readonly isNew: boolean;
  /** The torn tail that was cut off the log; no client got an answer for it. */
  readonly torn: TornTail | undefined;
  /** Whether no other process has taken the directory over, which happens to a process that was stopped for long. */
  readonly isHeld: boolean;
  /** Writes what is there and gives the directory back. */
  close(): Promise<void>;
}

const defaultSnapshotAfter = 32 * 1024 * 1024;

/** Opens a directory; throws a DataDirectoryInUseError or a DataError, and changes nothing then. */
export function openDurableStorage(options: DurableStorageOptions): DurableStorage {
  const { directory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(directory, options.lockTimes);
  try {
    const { storage, journal, isNew, torn } = opened(options, lock);
    const close = async (): Promise<void> => {
      await journal.close();
      lock.release();
    };
    return {
      storage,
      isNew,
      torn,
      get isHeld() {
        return lock.isHeld;
      },
      close,
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function opened(options: DurableStorageOptions, lock: DirectoryLock) {
  const { directory, clock = systemClock, onError = () => undefined } = options;
  const files = new DataFiles(directory);
  const recovered = recover(files);
  checkState(files, recovered, options);
  const initial = recovered ? undefined : options.initial?.();
  const contents = recovered?.contents ?? initial;
  const found = recovered?.log ?? { generation: 1, end: 0 };
  // A previous owner that still runs, stopped, may yet write to the log it has open: that log is left to it.
  const leavesLog = lock.previousMayRun && recovered !== undefined;
  if (leavesLog) cutLog(files.path("log", found.generation), found.end);
  const log = leavesLog ? { generation: found.generation + 1, end: 0 } : found;
  const journal = new DurableJournal({
    files,
    log,
    lock,
    logBytes: leavesLog ? 0 : (recovered?.logBytes ?? 0),
    revision: contents?.revision ?? 1,
    snapshotAfter: options.snapshotAfter ?? defaultSnapshotAfter,
    clock,
    contents: () => storage.contents(),
    onError,
  });
  const storage: MemoryStorage = new MemoryStorage({
    clock,
    history: options.history,
    compactionInterval: options.compactionInterval,
    contents,
    journal,
  });
  if (initial || leavesLog) writeSnapshotNow(files, log.generation, storage.contents());
  files.removeBefore(files.generations("snapshot").at(-1) ?? 0);
  return { storage, journal, isNew: recovered === undefined, torn: recovered?.torn };
}

/** Throws a DataError about a state that should not be there, or that should. */
function checkState(
  files: DataFiles,
  recovered: Recovered | undefined,
  options: DurableStorageOptions,
): void {
  const { directory, onlyNew, madeAfter } = options;
  if (recovered && onlyNew)
    throw new DataError(`the data directory ${directory} has a state already; choose an empty one`);
  if (madeAfter === undefined || (recovered && !recovered.isEmptied) || !existsSync(madeAfter)) return;
  const log = files.path("log", recovered?.log.generation ?? 1);
  throw new DataError(
    `the data directory ${directory} has lost its state: ${log} is ${recovered ? "empty" : "missing"}; restore it from a copy, or remove ${madeAfter} to begin anew`,
  );
}

// A store that lives in a directory: everything in memory, and every change on disk before any client sees it.
import { mkdirSync } from "node:fs";
import { type Clock, systemClock } from "@kubewright/api";
import { MemoryStorage, type MemoryStorageOptions, type StorageContents } from "../memory-storage.js";
import { DataError } from "./data-error.js";
import { DataFiles } from "./data-files.js";
import { lockDirectory } from "./directory-lock.js";
import { DurableJournal } from "./durable-journal.js";
import { recover, type TornTail } from "./recover.js";
import { writeSnapshotNow } from "./snapshot-writer.js";

export interface DurableStorageOptions extends Pick<MemoryStorageOptions, "history" | "compactionInterval"> {
  /** Made where there is none. */
  readonly directory: string;
  readonly clock?: Clock | undefined;
  /** The initial contents of a new directory; called only there. */
  readonly initial?: (() => StorageContents | undefined) | undefined;
  /** Refuse a directory with a state. */
  readonly onlyNew?: boolean | undefined;
  /** Bytes of changes, at least, after which a snapshot takes their place. */
  readonly snapshotAfter?: number | undefined;
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
  /** Writes what is there and gives the directory back. */
  close(): Promise<void>;
}

const defaultSnapshotAfter = 32 * 1024 * 1024;

/** Opens a directory; throws a DataDirectoryInUseError or a DataError, and changes nothing then. */
export function openDurableStorage(options: DurableStorageOptions): DurableStorage {
  const { directory } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const release = lockDirectory(directory);
  try {
    const { storage, journal, isNew, torn } = opened(options);
    const close = async (): Promise<void> => {
      await journal.close();
      release();
    };
    return { storage, isNew, torn, close };
  } catch (error) {
    release();
    throw error;
  }
}

function opened(options: DurableStorageOptions) {
  const { directory, clock = systemClock, onError = () => undefined } = options;
  const files = new DataFiles(directory);
  const recovered = recover(files);
  if (recovered && options.onlyNew)
    throw new DataError(`the data directory ${directory} has a state already; choose an empty one`);
  const initial = recovered ? undefined : options.initial?.();
  const contents = recovered?.contents ?? initial;
  const log = recovered?.log ?? { generation: 1, end: 0 };
  const journal = new DurableJournal({
    files,
    log,
    logBytes: recovered?.logBytes ?? 0,
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
  if (initial) writeSnapshotNow(files, log.generation, storage.contents());
  else files.removeBefore(files.generations("snapshot").at(-1) ?? 0);
  return { storage, journal, isNew: recovered === undefined, torn: recovered?.torn };
}

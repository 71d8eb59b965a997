// Recovery: reads the state of a data directory from its newest snapshot and the logs after it.

import type { StoredObject } from "@kubewright/kinds";
import type { StorageContents, StorageRow } from "../memory-storage.js";
import { DataError } from "./data-error.js";
import { damaged, readDataFile } from "./data-file.js";
import type { DataFiles } from "./data-files.js";
import { endOf, type LogRecord, recordOf, rowOf } from "./record.js";

/** The end of a log that was being written when the process or the machine stopped. No client got an answer for it. */
export interface TornTail {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

export interface Recovered {
  readonly contents: StorageContents;
  /** The log to go on with. */
  readonly log: { readonly generation: number; readonly end: number };
  /** Bytes of logs there are since the snapshot. */
  readonly logBytes: number;
  readonly torn: TornTail | undefined;
  /** Whether not even the first line of the only log is there. */
  readonly isEmptied: boolean;
}

/** Reads it all; undefined in a new directory. Throws a DataError, and changes nothing. */
export function recover(files: DataFiles): Recovered | undefined {
  const snapshot = files.generations("snapshot").at(-1);
  const logs = files.generations("log").filter((generation) => generation >= (snapshot ?? 0));
  if (snapshot === undefined && logs.length === 0) return undefined;
  const state = new RecoveredState();
  if (snapshot !== undefined) readSnapshot(files.path("snapshot", snapshot), state);
  checkLogs(files, logs, snapshot ?? logs[0] ?? 0);
  let logBytes = 0;
  let end = 0;
  let torn: TornTail | undefined;
  for (const generation of logs) {
    const file = files.path("log", generation);
    const read = readLog(file, state);
    // A log is begun, and on disk, before the snapshot of its number.
    if (read.end === 0 && generation === snapshot)
      throw damaged(file, 0, "its first line is missing, and there is a snapshot that followed it");
    if (read.torn > 0 && generation !== logs.at(-1))
      throw damaged(file, read.end, "and the log goes on elsewhere");
    if (read.torn > 0) torn = { file, offset: read.end, bytes: read.torn };
    end = read.end;
    logBytes += end;
  }
  const isEmptied = snapshot === undefined && logBytes === 0;
  return {
    contents: state.contents(),
    log: { generation: logs.at(-1) ?? 0, end },
    logBytes,
    torn,
    isEmptied,
  };
}

/** From the snapshot's own on there is one after the other. */
function checkLogs(files: DataFiles, logs: readonly number[], first: number): void {
  for (let index = 0; index < Math.max(1, logs.length); index++)
    if (logs[index] !== first + index)
      throw new DataError(`${files.path("log", first + index)} is missing; restore it from a copy`);
}

class RecoveredState {
  /** That of a store nothing was written to. */
  revision = 1;
  readonly #tables = new Map<string, Map<string, StoredObject>>();

  put({ resource, key, object }: StorageRow): void {
    let table = this.#tables.get(resource);
    if (!table) {
      table = new Map();
      this.#tables.set(resource, table);
    }
    table.set(key, object);
  }

  apply({ revision, resource, key, object }: LogRecord): void {
    this.revision = revision;
    if (object) this.put({ resource, key, object });
    else this.#tables.get(resource)?.delete(key);
  }

  contents(): StorageContents {
    return { revision: this.revision, rows: this.#rows() };
  }

  *#rows(): Iterable<StorageRow> {
    for (const [resource, table] of this.#tables)
      for (const [key, object] of table) yield { resource, key, object };
  }
}

function readSnapshot(path: string, state: RecoveredState): void {
  const { frames, end, torn } = readDataFile(path, "snapshot");
  if (torn > 0) throw damaged(path, end, "it is not whole");
  const last = frames.at(-1);
  const ending = endOf(last?.values[0]);
  if (!last || !ending) throw damaged(path, end, "the file ends before the snapshot does");
  let objects = 0;
  for (const { offset, values } of frames.slice(0, -1)) {
    for (const value of values) {
      const row = rowOf(value);
      if (!row) throw damaged(path, offset, "it holds something that is no object");
      state.put(row);
      objects += 1;
    }
  }
  if (objects !== ending.objects)
    throw damaged(path, last.offset, `${objects} of ${ending.objects} objects are there`);
  state.revision = ending.revision;
}

function readLog(path: string, state: RecoveredState): { readonly end: number; readonly torn: number } {
  const { frames, end, torn } = readDataFile(path, "log");
  for (const { offset, values } of frames) {
    for (const value of values) {
      const record = recordOf(value);
      if (!record) throw damaged(path, offset, "it holds something that is no change");
      if (record.revision !== state.revision + 1)
        throw damaged(path, offset, `revision ${record.revision} follows ${state.revision}`);
      state.apply(record);
    }
  }
  return { end, torn };
}

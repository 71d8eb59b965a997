// The files of a data directory. `log-7` holds the changes since `snapshot-7`; the newest snapshot and the logs from its number on
// are the state. A new log is begun before its snapshot is written, so every snapshot has a log.
import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FileKind } from "./data-file.js";

export class DataFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  path(kind: FileKind, generation: number): string {
    return join(this.directory, `${kind}-${String(generation).padStart(8, "0")}`);
  }

  /** The numbers of all files of a kind, in order. */
  generations(kind: FileKind): readonly number[] {
    const pattern = new RegExp(`^${kind}-(\\d{8,})$`);
    return readdirSync(this.directory)
      .map((name) => Number(pattern.exec(name)?.[1] ?? Number.NaN))
      .filter((generation) => !Number.isNaN(generation))
      .sort((a, b) => a - b);
  }

  /** Removes what came before a generation, and snapshots that were never finished. */
  removeBefore(generation: number): void {
    for (const kind of ["log", "snapshot"] as const)
      for (const old of this.generations(kind))
        if (old < generation) rmSync(this.path(kind, old), { force: true });
    for (const name of readdirSync(this.directory))
      if (/^snapshot-\d{8,}\.tmp$/.test(name)) rmSync(join(this.directory, name), { force: true });
  }

  sync(): void {
    syncDirectory(this.directory);
  }
}

/** Makes new names in a directory, and names that are gone, survive the machine. */
export function syncDirectory(directory: string): void {
  // Windows does not open directories; it keeps names by itself.
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

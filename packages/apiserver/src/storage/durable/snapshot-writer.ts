// All objects of one moment as a file: written beside, brought to the disk, and only then given its name.
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import type { StorageContents } from "../memory-storage.js";
import { firstLine } from "./data-file.js";
import type { DataFiles } from "./data-files.js";
import { encodeFrame } from "./frame.js";
import { endLine, rowLine } from "./record.js";

/** Characters in a frame: what is encoded in a few milliseconds, while everyone else waits. */
const frameSize = 256 * 1024;

/** Writes the snapshot of a generation, a slice at a time; resolves with its size when it would survive the machine. */
export async function writeSnapshot(
  files: DataFiles,
  generation: number,
  contents: StorageContents,
): Promise<number> {
  const path = files.path("snapshot", generation);
  const unfinished = `${path}.tmp`;
  const file = await open(unfinished, "w", 0o600);
  let size = 0;
  try {
    for (const slice of slices(contents)) {
      await file.writeFile(slice);
      size += slice.length;
    }
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    files.sync();
    return size;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The same, before anything else is done. */
export function writeSnapshotNow(files: DataFiles, generation: number, contents: StorageContents): void {
  const path = files.path("snapshot", generation);
  const unfinished = `${path}.tmp`;
  const descriptor = openSync(unfinished, "w", 0o600);
  try {
    for (const slice of slices(contents)) writeFileSync(descriptor, slice);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, path);
  files.sync();
}

function* slices({ revision, rows }: StorageContents): Iterable<Buffer> {
  yield Buffer.from(firstLine("snapshot"));
  let text = "";
  let objects = 0;
  for (const row of rows) {
    text += rowLine(row);
    objects += 1;
    if (text.length < frameSize) continue;
    yield encodeFrame(text);
    text = "";
  }
  if (text !== "") yield encodeFrame(text);
  yield encodeFrame(endLine({ revision, objects }));
}

// Where snapshots are kept: a folder of a volume, or a bucket. Names are those of files, without folders.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** Keeps snapshots under names. */
export interface SnapshotStore {
  /** Stores a file under a name, whole or not at all. */
  put(name: string, file: string, size: number, sha256: string): Promise<void>;
  /** Writes what is stored under a name to a file. */
  get(name: string, file: string): Promise<void>;
  list(): Promise<readonly string[]>;
  delete(name: string): Promise<void>;
}

/** Snapshots in a folder. */
export class FolderStore implements SnapshotStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(name: string, file: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const target = this.#inside(name);
    const unfinished = join(this.#folder, `.${name}.unfinished`);
    await pipeline(createReadStream(file), createWriteStream(unfinished, { flush: true }));
    await rename(unfinished, target);
  }

  async get(name: string, file: string): Promise<void> {
    await pipeline(createReadStream(this.#inside(name)), createWriteStream(file, { flush: true }));
  }

  async list(): Promise<readonly string[]> {
    return (await readdir(this.#folder)).filter((name) => !name.startsWith("."));
  }

  async delete(name: string): Promise<void> {
    await rm(this.#inside(name), { force: true });
  }

  /** The path of a file; throws for names that lead out of the folder. */
  #inside(name: string): string {
    const path = join(this.#folder, name);
    if (path.startsWith(join(this.#folder, "/"))) return path;
    throw new Error(`${JSON.stringify(name)} is not the name of a snapshot`);
  }
}

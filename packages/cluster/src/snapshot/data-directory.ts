// A folder a cluster lives in: its state is read when it starts, and written now and then and when it stops.
//
// Guarantees
// - One process at a time; a lock that a killed process left behind is taken over.
// - The state on disk is always a whole one.
//
// Not guaranteed
// - What was written since the last snapshot is lost when the process is killed.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Timer } from "@kubewright/api";
import { readSnapshot, type Snapshot, SnapshotError, writeSnapshot } from "./snapshot-file.js";

/** A data directory that another process uses. */
export class DataDirectoryInUseError extends Error {
  override readonly name = "DataDirectoryInUseError";
}

const interval = 30_000;

export class DataDirectory {
  readonly #path: string;
  readonly #file: string;
  readonly #lock: string;
  #timer: Timer | undefined;
  #saved = -1;

  private constructor(path: string) {
    this.#path = path;
    this.#file = join(path, "cluster.snapshot");
    this.#lock = join(path, "lock");
  }

  /** Makes the folder where there is none, and takes it. */
  static open(path: string): DataDirectory {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const directory = new DataDirectory(path);
    directory.#take();
    return directory;
  }

  /** What was saved last; undefined in a new folder. Gives the folder back when it cannot be read. */
  read(): Snapshot | undefined {
    try {
      return readSnapshot(this.#file);
    } catch (error) {
      if (error instanceof SnapshotError && isMissing(error.cause)) return undefined;
      this.release();
      throw error;
    }
  }

  /** Saves every half minute from now on, if anything changed. */
  keep(clock: Clock, take: () => Snapshot): void {
    this.#timer = clock.setTimer(interval, () => {
      this.save(take());
      this.keep(clock, take);
    });
  }

  save(snapshot: Snapshot): void {
    if (snapshot.revision === this.#saved) return;
    writeSnapshot(this.#file, snapshot);
    this.#saved = snapshot.revision;
  }

  release(): void {
    this.#timer?.cancel();
    rmSync(this.#lock, { force: true });
  }

  #take(): void {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        writeFileSync(this.#lock, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
        return;
      } catch (error) {
        if (!isCode(error, "EEXIST")) throw error;
        const owner = this.#owner();
        if (owner !== undefined && isAlive(owner))
          throw new DataDirectoryInUseError(
            `the data directory ${this.#path} is in use by process ${owner}; stop it, or choose another directory`,
          );
        rmSync(this.#lock, { force: true });
      }
    }
    throw new DataDirectoryInUseError(`the data directory ${this.#path} was taken by another process`);
  }

  #owner(): number | undefined {
    try {
      const pid = Number(readFileSync(this.#lock, "utf8").trim());
      return Number.isInteger(pid) && pid > 0 ? pid : undefined;
    } catch {
      return undefined;
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

const isMissing = (error: unknown): boolean => isCode(error, "ENOENT");
const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

// The lock of a data directory: one process at a time. The lock is a file that names its owner, who touches it twice a second.
//
// Guarantees
// - A lock is taken over at once where its owner is known to have ended, and never where it is known to run. Of a process that cannot
//   be seen from here, in another container or on another machine, only the touches show that it runs: a starter waits for one.
// - `isHeld` is false from the moment another process has taken over. An owner that was stopped for longer than starters wait finds out
//   before it writes, and again before it acknowledges what it wrote.
//
// Caveats
// - Between machines, touches are as visible as the shared file system makes them.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** A data directory that another process uses. */
export class DataDirectoryInUseError extends Error {
  override readonly name = "DataDirectoryInUseError";
}

/** The lock of a directory, until it is released. */
export interface DirectoryLock {
  /** Whether the previous owner may still run, stopped: nobody saw it end. */
  readonly previousMayRun: boolean;
  /** Whether no other process has taken the lock since. Costs one system call and needs no descriptor. */
  readonly isHeld: boolean;
  /** Removes the lock if it is still held. */
  release(): void;
}

export interface LockTimes {
  /** Milliseconds between two touches. */
  readonly touchEvery: number;
  /** Milliseconds that a starter waits for a touch of an owner that it cannot see. */
  readonly waitFor: number;
}

const defaultTimes: LockTimes = { touchEvery: 500, waitFor: 5_000 };
const attempts = 20;
/** Milliseconds between two looks at a lock. */
const pauseTime = 50;

/** Takes the lock, or throws a DataDirectoryInUseError. Blocks while it waits for touches. */
export function lockDirectory(directory: string, times: LockTimes = defaultTimes): DirectoryLock {
  const lock = join(directory, "lock");
  const own = ownerLine();
  let previousMayRun = false;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const descriptor = created(lock, own);
    if (descriptor !== undefined) return held(lock, descriptor, previousMayRun, times);
    const found = readLock(lock);
    if (found === undefined) continue;
    const owner = stateOf(found);
    if (owner === "running") throw inUse(directory, `process ${pidOf(found)}`);
    if (owner === "unknown") {
      const waited = waitForTouch(lock, found, times.waitFor);
      if (waited === "replaced") continue;
      if (waited === "touched")
        throw inUse(directory, `process ${pidOf(found)} of another container or machine`);
      previousMayRun = true;
    }
    takeAway(lock, found);
  }
  throw new DataDirectoryInUseError(`the data directory ${directory} was taken by another process`);
}

const inUse = (directory: string, owner: string): DataDirectoryInUseError =>
  new DataDirectoryInUseError(
    `the data directory ${directory} is in use by ${owner}; stop it, or choose another directory`,
  );

/** The descriptor of a new lock; undefined where there is a lock. */
function created(lock: string, own: string): number | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(lock, "wx", 0o600);
  } catch (error) {
    if (isCode(error, "EEXIST")) return undefined;
    throw error;
  }
  try {
    writeFileSync(descriptor, own);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    rmSync(lock, { force: true });
    throw error;
  }
}

/** While the descriptor is open, no other file gets the same inode: comparing inodes shows whose lock is there. */
function held(
  lock: string,
  descriptor: number,
  previousMayRun: boolean,
  { touchEvery }: LockTimes,
): DirectoryLock {
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  const isHeld = (): boolean => {
    const there = statSync(lock, { bigint: true, throwIfNoEntry: false });
    return there !== undefined && there.ino === ino && there.dev === dev;
  };
  const touching = setInterval(() => touch(descriptor), touchEvery);
  touching.unref();
  return {
    previousMayRun,
    get isHeld() {
      return isHeld();
    },
    release: () => {
      clearInterval(touching);
      if (isHeld()) rmSync(lock, { force: true });
      closeSync(descriptor);
    },
  };
}

/** A touch that fails is made up for by the next one; whether the lock is held is decided elsewhere. */
function touch(descriptor: number): void {
  const now = new Date();
  try {
    futimesSync(descriptor, now, now);
  } catch {}
}

/** Waits for the owner to touch the lock; the lock may also be removed or become another's meanwhile. */
function waitForTouch(lock: string, found: string, waitFor: number): "touched" | "untouched" | "replaced" {
  const before = touchedAt(lock);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < waitFor; waited += pauseTime) {
    Atomics.wait(pause, 0, 0, pauseTime);
    if (readLock(lock) !== found) return "replaced";
    if (touchedAt(lock) !== before) return "touched";
  }
  return "untouched";
}

/** Through a descriptor, because network file systems ask their server again when a file is opened. */
function touchedAt(lock: string): number | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(lock, "r");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
  try {
    return fstatSync(descriptor).mtimeMs;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Removes the lock that was found. Of several starters that found it only one gets to rename it. One that comes late may rename the lock of
 * the first instead, and puts it back; if a third was quicker, the first finds that its lock is no longer held.
 */
function takeAway(lock: string, found: string): void {
  const aside = `${lock}.${randomBytes(8).toString("hex")}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (isCode(error, "ENOENT")) return;
    throw error;
  }
  try {
    if (readLock(aside) !== found) linkSync(aside, lock);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

const pidOf = (owner: string): number => Number(owner.trim().split(" ")[0]);

/** Process id, boot and start time, PID namespace, and a random word that makes the line unique. */
function ownerLine(): string {
  const began = beginningOf("self") ?? "-";
  return `${process.pid} ${began} ${namespace() ?? "-"} ${randomBytes(8).toString("hex")}\n`;
}

/**
 * Boot and start time of a process that runs, where the system has them. Process ids are given again, in containers nearly always; a
 * zombie has ended and closed its files.
 */
function beginningOf(process: number | "self"): string | undefined {
  const boot = readProc("sys/kernel/random/boot_id")?.trim();
  // The name comes second, in parentheses, and may hold anything; the state follows it, and the start time 19 words later.
  const words = readProc(`${process}/stat`)?.split(")").at(-1)?.trim().split(" ");
  const started = words?.[0] === "Z" ? undefined : words?.[19];
  return boot === undefined || started === undefined ? undefined : `${boot}:${started}`;
}

/** The PID namespace of this process, where /proc shows that one. */
function namespace(): string | undefined {
  try {
    if (readlinkSync("/proc/self") !== String(process.pid)) return undefined;
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

function stateOf(owner: string): "running" | "ended" | "unknown" {
  const pid = pidOf(owner);
  const [, began = "-", itsNamespace = "-"] = owner.trim().split(" ");
  if (!Number.isInteger(pid) || pid <= 0) return "unknown";
  const own = beginningOf("self");
  if (own === undefined && began === "-") return isAlive(pid) ? "running" : "ended";
  const isVisible = own?.split(":")[0] === began.split(":")[0] && itsNamespace === namespace();
  if (!isVisible) return "unknown";
  return beginningOf(pid) === began ? "running" : "ended";
}

/** For systems without /proc. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

function readLock(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

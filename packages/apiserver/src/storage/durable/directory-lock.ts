// One process at a time in a directory. The lock is a file that names its owner; one whose owner is no more is taken over.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A data directory that another process uses. */
export class DataDirectoryInUseError extends Error {
  override readonly name = "DataDirectoryInUseError";
}

const attempts = 20;

/** Takes the lock; the returned function gives it back. */
export function lockDirectory(directory: string): () => void {
  const lock = join(directory, "lock");
  const own = ownerLine(process.pid);
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      writeFileSync(lock, own, { flag: "wx", mode: 0o600 });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
      takeAway(lock, directory);
    }
  }
  throw new DataDirectoryInUseError(`the data directory ${directory} was taken by another process`);
}

/** Removes the lock of a process that is no more. */
function takeAway(lock: string, directory: string): void {
  const found = read(lock);
  if (found === undefined) return;
  refuseIfAlive(found, directory);
  // Of several that find it stale only one gets to rename it, and what it then holds may be the lock of the first to be done.
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (isCode(error, "ENOENT")) return;
    throw error;
  }
  try {
    const moved = read(aside);
    if (moved !== undefined && moved !== found && isAlive(moved)) linkSync(aside, lock);
  } finally {
    rmSync(aside, { force: true });
  }
}

function refuseIfAlive(owner: string, directory: string): void {
  if (!isAlive(owner)) return;
  throw new DataDirectoryInUseError(
    `the data directory ${directory} is in use by process ${pidOf(owner)}; stop it, or choose another directory`,
  );
}

const pidOf = (owner: string): number => Number(owner.trim().split(" ")[0]);

/** Numbers of processes are given again, in containers nearly always; the start time distinguishes them. */
function ownerLine(pid: number): string {
  const began = beginningOf(pid);
  return `${pid}${began === undefined ? "" : ` ${began}`}\n`;
}

/** Boot and time of a process, where the system has them. */
function beginningOf(pid: number): string | undefined {
  const boot = read("/proc/sys/kernel/random/boot_id")?.trim();
  // The name comes second, in parentheses, and may hold anything; the time comes 20 words after it.
  const started = read(`/proc/${pid}/stat`)?.split(")").at(-1)?.trim().split(" ")[19];
  return boot === undefined || started === undefined ? undefined : `${boot}:${started}`;
}

function isAlive(owner: string): boolean {
  const pid = pidOf(owner);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const began = owner.trim().split(" ")[1];
  if (began !== undefined && began !== beginningOf(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

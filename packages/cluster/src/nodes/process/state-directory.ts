// The folder that process nodes work in: one for each process, beside those of others. What a process left behind that ended without
// a word is taken away by the next one.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** When a process started, so that a later one of the same number is not taken for it; undefined when there is none. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** A file system in memory that every Linux has. */
const shared = "/dev/shm";

export class StateDirectory {
  readonly path: string;
  /** A folder in memory, for volumes that are to be there; in the other folder where this machine has none. */
  readonly memory: string;
  /** Names this process among all that ever ran here. */
  readonly id: string;

  constructor() {
    const name = `kubewright-nodes-${userInfo().uid}`;
    const parent = join(tmpdir(), name);
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    cleanUp(parent);
    const inMemory = join(shared, name);
    if (existsSync(inMemory)) cleanUp(inMemory);
    const started = startOf(process.pid) ?? "0";
    for (let number = 0; ; number++) {
      this.id = `${process.pid}-${started}-${number}`;
      this.path = join(parent, this.id);
      try {
        mkdirSync(this.path, { mode: 0o711 });
        break;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
    }
    this.memory = existsSync(shared) ? join(inMemory, this.id) : join(this.path, "memory");
    if (existsSync(shared)) mkdirSync(inMemory, { recursive: true, mode: 0o700 });
    for (const each of ["pods", "root", "volumes"]) mkdirSync(join(this.path, each), { mode: 0o711 });
  }

  /** Remembers a control group, so that it goes even if this process is killed. */
  noteGroup(group: string): void {
    writeFileSync(join(this.path, "groups"), `${group}\n`, { flag: "a" });
  }

  remove(): void {
    removeState(this.path);
    removeState(this.memory);
  }
}

/** Takes away what processes left that are gone. */
function cleanUp(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid = "", started = ""] = /^(\d+)-(\d+)-\d+$/.exec(name) ?? [];
    if (pid !== "" && startOf(Number(pid)) !== started) removeState(join(parent, name));
  }
}

function removeState(path: string): void {
  for (const group of lines(join(path, "groups")).reverse()) {
    try {
      rmdirSync(group);
    } catch {
      // It is gone already.
    }
  }
  rmSync(path, { recursive: true, force: true });
}

function lines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

// The folder that process nodes work in: one for each process, beside those of others. What a process left behind that ended without
// a word is taken away by the next one.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
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

export class StateDirectory {
  readonly path: string;
  /** Names this process among all that ever ran here. */
  readonly id: string;

  constructor(parent: string = join(tmpdir(), `kubewright-nodes-${userInfo().uid}`)) {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    cleanUp(parent);
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
    for (const each of ["pods", "root", "volumes"]) mkdirSync(join(this.path, each), { mode: 0o711 });
  }

  /** Remembers a control group, so that it goes even if this process is killed. */
  noteGroup(group: string): void {
    writeFileSync(join(this.path, "groups"), `${group}\n`, { flag: "a" });
  }

  remove(): void {
    removeState(this.path);
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

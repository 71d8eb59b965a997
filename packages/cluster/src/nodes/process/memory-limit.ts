// Memory limits of containers, by control groups where this machine lets us make them.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How this machine limits memory. */
export type MemoryControl =
  | { readonly version: 1 | 2; readonly parent: string }
  /** It does not, and why. */
  | { readonly version: 0; readonly why: string };

/** Finds out by making a group; `id` names it, and control groups are files below `root`. */
export function findMemoryControl(id: string, root = "/sys/fs/cgroup"): MemoryControl {
  const why: string[] = [];
  for (const [version, folder] of candidates(root)) {
    const parent = join(folder, `kubewright-${id}`);
    try {
      mkdirSync(parent);
      if (version === 2) writeFileSync(join(parent, "cgroup.subtree_control"), "+memory");
      return { version, parent };
    } catch (error) {
      try {
        rmdirSync(parent);
      } catch {
        // It was not made.
      }
      why.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { version: 0, why: why.join("; ") || "there are no control groups for memory" };
}

function candidates(root: string): readonly (readonly [version: 1 | 2, folder: string])[] {
  const found: (readonly [1 | 2, string])[] = [];
  // A group with processes in it, as ours is, hands on no controllers in version 2; one above it may.
  if (existsSync(join(root, "cgroup.controllers")))
    for (const group of withAncestors(ownGroup())) found.push([2, join(root, group)]);
  if (existsSync(join(root, "memory/memory.limit_in_bytes"))) found.push([1, join(root, "memory")]);
  return found;
}

function ownGroup(): string {
  const [, path = "/"] = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8")) ?? [];
  return path;
}

/** `/a/b` as `/a/b`, `/a` and `/`. */
function withAncestors(group: string): readonly string[] {
  const parts = group.split("/").filter(Boolean);
  return parts.map((_, at) => `/${parts.slice(0, parts.length - at).join("/")}`).concat("/");
}

/** The group of one run of a container. */
export class MemoryGroup {
  readonly path: string;
  readonly #version: 1 | 2;

  /** Throws when the limit cannot be set: a container without its limit is not started. */
  constructor(control: Extract<MemoryControl, { parent: string }>, name: string, bytes: number) {
    this.#version = control.version;
    this.path = join(control.parent, name);
    mkdirSync(this.path);
    const limit = control.version === 2 ? "memory.max" : "memory.limit_in_bytes";
    writeFileSync(join(this.path, limit), String(bytes));
    if (control.version === 2) {
      // Memory beyond the limit is not swapped out instead, as the kubelet has it.
      this.#writeIfKnown("memory.swap.max", "0");
      this.#writeIfKnown("memory.oom.group", "1");
    }
  }

  /** A process that writes its id to this file becomes a member. */
  get members(): string {
    return join(this.path, "cgroup.procs");
  }

  /** Whether something was killed because there was too little memory. */
  get wasExceeded(): boolean {
    const file = this.#version === 2 ? "memory.events" : "memory.oom_control";
    try {
      return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(this.path, file), "utf8"))?.[1] ?? 0) > 0;
    } catch {
      return false;
    }
  }

  remove(): void {
    try {
      rmdirSync(this.path);
    } catch {
      // It goes with the nodes, or at the next start.
    }
  }

  #writeIfKnown(file: string, text: string): void {
    try {
      writeFileSync(join(this.path, file), text);
    } catch {
      // Older kernels, and those without swap, lack it.
    }
  }
}

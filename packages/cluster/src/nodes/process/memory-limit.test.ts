import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findMemoryControl, MemoryGroup } from "./memory-limit.js";

// A folder stands for the control groups, so these tests show what is written, not that the kernel follows it.
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function controlGroups(files: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "kubewright-control-groups-"));
  folders.push(root);
  mkdirSync(join(root, "memory"));
  for (const file of files) writeFileSync(join(root, file), "");
  return root;
}

function control(root: string) {
  const found = findMemoryControl("test", root);
  if (found.version === 0) throw new Error(found.why);
  return found;
}

test("version 2: the parent hands memory on; a container has its limit, no swap, and dies as a whole", () => {
  const root = controlGroups(["cgroup.controllers"]);
  const found = control(root);
  expect(found.version).toBe(2);
  expect(readFileSync(join(found.parent, "cgroup.subtree_control"), "utf8")).toBe("+memory");
  const group = new MemoryGroup(found, "c", 64 * 2 ** 20);
  const read = (file: string) => readFileSync(join(group.path, file), "utf8");
  expect(["memory.max", "memory.swap.max", "memory.oom.group"].map(read)).toEqual(["67108864", "0", "1"]);
  expect(group.wasExceeded, "before any event").toBe(false);
  writeFileSync(join(group.path, "memory.events"), "low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\n");
  expect(group.wasExceeded).toBe(true);
});

test("version 1: a container has its limit", () => {
  const group = new MemoryGroup(control(controlGroups(["memory/memory.limit_in_bytes"])), "c", 4096);
  expect(readFileSync(join(group.path, "memory.limit_in_bytes"), "utf8")).toBe("4096");
  writeFileSync(join(group.path, "memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  expect(group.wasExceeded).toBe(true);
});

test("without control groups for memory, that is the reason given", () => {
  expect(findMemoryControl("test", controlGroups([]))).toEqual({
    version: 0,
    why: "there are no control groups for memory",
  });
});

// The keys of a cluster: whether a rotation survives a power cut is decided by what is synced, which only the system calls show.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildProgram } from "../durability/killable-server.js";
import { isAllowed } from "./allowed.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const mayTrace = isAllowed("strace", "-f", "-o", join(folder, "probe"), "true");

test.runIf(mayTrace)(
  "keys.json is renamed into place between a sync of the file and one of its directory",
  {
    timeout: 60_000,
  },
  async () => {
    const program = await buildProgram(new URL("make-keys.ts", import.meta.url), folder);
    const calls = join(folder, "calls");
    const traced = ["-f", "-y", "-e", "trace=/^rename,fsync,fdatasync", "-o", calls];
    const directory = join(folder, "data");
    const { status, stderr } = spawnSync("strace", [...traced, process.execPath, program, directory]);
    expect(status, String(stderr)).toBe(0);
    const lines = readFileSync(calls, "utf8").split("\n");
    const renamed = lines.findIndex((line) => line.includes("rename") && line.includes('keys.json"'));
    expect(lines[renamed - 1]).toMatch(/fsync\(.*keys\.json\.\w+\.tmp/);
    expect(lines[renamed + 1]).toContain(`fsync(`);
    expect(lines[renamed + 1]).toContain(`${directory}>`);
  },
);

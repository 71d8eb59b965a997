import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockDirectory } from "./directory-lock.js";

let directory: string;
let lock: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kubewright-"));
  lock = join(directory, "lock");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const times = { touchEvery: 20, waitFor: 300 };
const boot = () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const here = () => readlinkSync("/proc/self/ns/pid");
const ended = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("the lock of a data directory", () => {
  test("keeps a second owner out, and is removed when it is released", () => {
    const first = lockDirectory(directory, times);
    expect(() => lockDirectory(directory, times)).toThrow(`is in use by process ${process.pid};`);
    first.release();
    expect(readdirSync(directory)).toEqual([]);
    lockDirectory(directory, times).release();
  });

  test.runIf(process.platform === "linux").each([
    ["of a process that has ended", () => `${ended()} ${boot()}:1 ${here()} x\n`],
    ["of a process whose id another has now", () => `${process.pid} ${boot()}:1 ${here()} x\n`],
  ])("%s is taken over at once", (_, text) => {
    writeFileSync(lock, text());
    const began = performance.now();
    const { previousMayRun, release } = lockDirectory(directory, { ...times, waitFor: 60_000 });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(previousMayRun).toBe(false);
    release();
  });

  test.each([
    ["of another PID namespace", `1 ${"0".repeat(8)}:1 pid:[1] x\n`],
    ["of a version that wrote no PID namespace", "1 boot:1\n"],
    ["with nothing in it", ""],
  ])("%s is taken over when nobody touches it", (_, text) => {
    writeFileSync(lock, text);
    const { previousMayRun, release } = lockDirectory(directory, times);
    expect(previousMayRun).toBe(true);
    expect(readFileSync(lock, "utf8")).toMatch(new RegExp(`^${process.pid} `));
    release();
    expect(existsSync(lock)).toBe(false);
  });

  test("of another PID namespace is left to an owner that touches it", async () => {
    writeFileSync(lock, "7 elsewhere:1 pid:[1] x\n");
    const touching = new Worker(
      `const { utimesSync } = require("node:fs");
       let at = 1;
       setInterval(() => utimesSync(require("node:worker_threads").workerData, ++at, at), 10);`,
      { eval: true, workerData: lock },
    );
    await new Promise((resolve) => touching.once("online", resolve));
    const patient = { ...times, waitFor: 30_000 };
    expect(() => lockDirectory(directory, patient)).toThrow("by process 7 of another container or machine;");
    await touching.terminate();
  });

  test("is touched by its owner", async () => {
    const { release } = lockDirectory(directory, times);
    utimesSync(lock, 1, 1);
    const touchedAt = () => statSync(lock).mtimeMs;
    await expect.poll(touchedAt).toBeGreaterThan(1_000);
    release();
  });

  test("that another process took is no longer held, and not removed", () => {
    const first = lockDirectory(directory, times);
    expect(first.isHeld).toBe(true);
    rmSync(lock);
    expect(first.isHeld).toBe(false);
    writeFileSync(lock, "another\n");
    expect(first.isHeld).toBe(false);
    first.release();
    expect(readFileSync(lock, "utf8")).toBe("another\n");
  });

  test("that was moved aside and put back is held as before", () => {
    const first = lockDirectory(directory, times);
    renameSync(lock, `${lock}.aside`);
    expect(first.isHeld).toBe(false);
    renameSync(`${lock}.aside`, lock);
    expect(first.isHeld).toBe(true);
    first.release();
  });
});

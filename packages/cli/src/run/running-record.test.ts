import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { forgetRunning, readRunning, writeRunning } from "./running-record.js";

const metrics = "http://127.0.0.1:1";
const token = "t";
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kubewright-record-"));
});
afterEach(() => rmSync(root, { recursive: true }));

test("the record of this process is found, and gone when it is forgotten", () => {
  writeRunning(root, { pid: process.pid, metrics, token });
  expect(readRunning(root)).toEqual({ pid: process.pid, metrics, token });
  forgetRunning(root);
  expect(readRunning(root)).toBeUndefined();
});

test("a manager that was killed does not run", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeRunning(root, { pid, metrics, token });
  expect(readRunning(root)).toBeUndefined();
});

test("the record of another process in the same folder is not forgotten", () => {
  writeRunning(root, { pid: process.ppid, metrics, token });
  forgetRunning(root);
  expect(readRunning(root)).toEqual({ pid: process.ppid, metrics, token });
});

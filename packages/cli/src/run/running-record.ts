// Where the manager that runs from this project can be asked, for commands in another terminal.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAlive } from "../is-alive.js";

export interface RunningRecord {
  readonly pid: number;
  /** `http://127.0.0.1:40321` */
  readonly metrics: string;
  /** The bearer token it asks for. */
  readonly token: string;
}

const fileOf = (root: string): string => join(root, ".kubewright", "manager.json");

export function writeRunning(root: string, record: RunningRecord): void {
  mkdirSync(dirname(fileOf(root)), { recursive: true });
  // Not over the file of before, which others may be able to read.
  rmSync(fileOf(root), { force: true });
  writeFileSync(fileOf(root), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** Undefined when none runs: a manager that was killed leaves its record behind. */
export function readRunning(root: string): RunningRecord | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(fileOf(root), "utf8"));
    return isRecord(record) && isAlive(record.pid) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Deletes the record of this process; that of another that was started in the same folder since stays. */
export function forgetRunning(root: string): void {
  if (readRunning(root)?.pid === process.pid) rmSync(fileOf(root), { force: true });
}

const isRecord = (value: unknown): value is RunningRecord =>
  typeof value === "object" &&
  value !== null &&
  "metrics" in value &&
  typeof value.metrics === "string" &&
  "token" in value &&
  typeof value.token === "string" &&
  "pid" in value &&
  typeof value.pid === "number";

// How one process asks another, which runs a cluster, for new keys: with a file in the data directory, which is taken away when that is done.
// Only who may write there may ask, and who does not listen is not disturbed.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Rotatable, rotatable } from "@kubewright/cluster";

/** What is asked for. */
export interface RotationRequest {
  readonly what: readonly Rotatable[];
  /** Milliseconds for which what was before is believed. */
  readonly acceptFor?: number | undefined;
}

const lookEvery = 200;
const fileIn = (directory: string): string => join(directory, "rotate.json");

/** Does what others ask for from now on, until the returned function is called. */
export function answerRotationRequests(
  directory: string,
  rotate: (request: RotationRequest) => void,
): () => void {
  const file = fileIn(directory);
  rmSync(file, { force: true }); // a request from before this cluster ran; its sender has given up
  const look = (): void => {
    const request = existsSync(file) ? read(file) : undefined;
    if (!request) return;
    rotate(request);
    rmSync(file, { force: true });
  };
  // Not `watchFile`: that hears nothing of a file that comes before its first look.
  const timer = setInterval(look, lookEvery).unref();
  return () => clearInterval(timer);
}

/** Asks the process that runs a cluster on the directory; false where none did it in time. */
export async function requestRotation(
  directory: string,
  request: RotationRequest,
  patience = 10_000,
): Promise<boolean> {
  const file = fileIn(directory);
  writeFileSync(`${file}.tmp`, JSON.stringify(request), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
  for (let waited = 0; waited < patience; waited += lookEvery) {
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
    if (!read(file)) return true;
  }
  rmSync(file, { force: true });
  return false;
}

function read(file: string): RotationRequest | undefined {
  try {
    const request: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRequest(request) ? request : undefined;
  } catch {
    return undefined;
  }
}

const isRequest = (value: unknown): value is RotationRequest =>
  typeof value === "object" &&
  value !== null &&
  "what" in value &&
  Array.isArray(value.what) &&
  value.what.every((name) => rotatable.includes(name)) &&
  (!("acceptFor" in value) || typeof value.acceptFor === "number");

// The state of a cluster as a file: a line of JSON that says what it is, a line for each object, and a line that says that
// this was all. Objects are kept as they are stored: uids, resource versions, managed fields.

import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { stringifyJson } from "@kubewright/api";
import {
  type StorageContents,
  type StorageRow,
  type StoredObject,
  syncDirectory,
} from "@kubewright/apiserver";
import { parseJsonText } from "@kubewright/machinery";

const format = "kubewright-cluster";
/** Goes up when older programs could not read the file rightly. */
const formatVersion = 1;

/** A file that is no snapshot, is damaged, or comes from a newer version. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

/** The contents of a snapshot. */
export interface Snapshot extends StorageContents {
  /** When it was taken, in milliseconds since 1970. */
  readonly time: number;
}

const flushSize = 1 << 20;

/** Writes the file whole or not at all. */
export function writeSnapshot(file: string, { revision, rows, time }: Snapshot): void {
  const unfinished = `${file}.${process.pid}.tmp`;
  const descriptor = openSync(unfinished, "w", 0o600);
  const hash = createHash("sha256");
  let count = 0;
  try {
    let text = `${stringifyJson({ format, version: formatVersion, revision, time })}\n`;
    const flush = (): void => {
      hash.update(text);
      writeFileSync(descriptor, text);
      text = "";
    };
    for (const { resource, key, object } of rows) {
      text += `${stringifyJson([resource, key, object])}\n`;
      count += 1;
      if (text.length > flushSize) flush();
    }
    flush();
    writeFileSync(descriptor, `${stringifyJson({ objects: count, sha256: hash.digest("hex") })}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
  syncDirectory(dirname(file));
}

/** Reads a file back; throws a SnapshotError that says what is wrong with it. */
export function readSnapshot(file: string): Snapshot {
  const text = readText(file);
  const fail = (what: string): never => {
    throw new SnapshotError(`${file}: ${what}`);
  };
  const lines = text.split("\n");
  const head = record(parsed(lines[0]));
  if (head["format"] !== format) return fail("this is no snapshot of a cluster");
  const version = Number(head["version"]);
  if (version > formatVersion)
    return fail(
      `the snapshot has format ${version}, and this version of kubewright reads up to ${formatVersion}; use a newer one`,
    );
  const end = record(parsed(lines.at(-2)));
  const body = text.slice(0, text.length - (lines.at(-2)?.length ?? 0) - 1);
  if (lines.at(-1) !== "" || end["sha256"] !== createHash("sha256").update(body).digest("hex"))
    return fail("the snapshot is damaged or was not written to its end");
  const rows = lines.slice(1, -2).map((line, index) => rowOf(line) ?? fail(`line ${index + 2} is no object`));
  const revision = Number(head["revision"]);
  if (!Number.isSafeInteger(revision) || rows.length !== end["objects"])
    return fail("the snapshot is damaged");
  return { revision, rows, time: Number(head["time"]) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SnapshotError(
      `${file}: the snapshot cannot be read: ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    );
  }
}

function parsed(line: string | undefined): unknown {
  try {
    return parseJsonText(line ?? "");
  } catch {
    return undefined;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function rowOf(line: string): StorageRow | undefined {
  const value = parsed(line);
  if (!Array.isArray(value)) return undefined;
  const [resource, key, object]: readonly unknown[] = value;
  if (typeof resource !== "string" || typeof key !== "string" || !isStored(object)) return undefined;
  return { resource, key, object };
}

function isStored(value: unknown): value is StoredObject {
  const { apiVersion, kind, metadata } = record(value);
  const { uid, resourceVersion } = record(metadata);
  return [apiVersion, kind, uid, resourceVersion].every((field) => typeof field === "string");
}

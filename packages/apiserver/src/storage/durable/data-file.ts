// A file of frames, from its first line on.

import { readFileSync } from "node:fs";
import { parseJsonText } from "@kubewright/machinery";
import { DataError } from "./data-error.js";
import { frameAt } from "./frame.js";

/** Goes up when older programs could not read the files rightly. */
const formatVersion = 1;

export type FileKind = "log" | "snapshot";

/** The first line of a file of a kind. */
export const firstLine = (kind: FileKind, version = formatVersion): string =>
  `kubewright ${kind} ${version}\n`;

/** The contents of a file. */
export interface FileContents {
  /** Where each frame begins, and the JSON in its lines. */
  readonly frames: readonly { readonly offset: number; readonly values: readonly unknown[] }[];
  /** Where the last whole frame ends; 0 when not even the first line is whole. */
  readonly end: number;
  /** Bytes after that, unless there is nothing in them. */
  readonly torn: number;
}

/** Reads a file; throws a DataError that names the file and the place. What is torn is for the caller to judge. */
export function readDataFile(path: string, kind: FileKind): FileContents {
  const bytes = readFileSync(path);
  const first = Buffer.from(firstLine(kind));
  if (bytes.length < first.length && first.subarray(0, bytes.length).equals(bytes))
    return { frames: [], end: 0, torn: bytes.length };
  if (!bytes.subarray(0, first.length).equals(first))
    throw new DataError(`${path}: ${whatElse(bytes, kind)}`);
  const frames: { offset: number; values: readonly unknown[] }[] = [];
  let offset = first.length;
  while (offset < bytes.length) {
    const frame = frameAt(bytes, offset);
    if (frame.state === "torn") break;
    if (frame.state === "corrupt") throw damaged(path, offset, frame.why);
    frames.push({ offset, values: valuesOf(frame.text, path, offset) });
    offset = frame.end;
  }
  return { frames, end: offset, torn: isEmpty(bytes.subarray(offset)) ? 0 : bytes.length - offset };
}

/** Room that was made for frames to come. */
const isEmpty = (rest: Buffer): boolean => rest.equals(Buffer.alloc(rest.length));

/** A DataError about one place. */
export function damaged(path: string, offset: number, why: string): DataError {
  return new DataError(
    `${path} is damaged: the record at offset ${offset} cannot be read, ${why}; restore the file from a copy`,
  );
}

function whatElse(bytes: Buffer, kind: FileKind): string {
  const line = /^kubewright (\w+) (\d+)\n/.exec(bytes.subarray(0, 64).toString("latin1"));
  const version = Number(line?.[2]);
  if (line?.[1] !== kind) return `this is no ${kind} of a cluster (offset 0)`;
  if (version > formatVersion)
    return `the file has format ${version}, and this version of kubewright reads up to ${formatVersion}; use a newer one`;
  return `the ${kind} has format ${version}, which nobody ever wrote (offset 0)`;
}

function valuesOf(text: Buffer, path: string, offset: number): readonly unknown[] {
  const lines = text.toString("utf8").split("\n");
  try {
    // Every line ends, the last one too.
    return lines.slice(0, -1).map((line): unknown => parseJsonText(line));
  } catch (error) {
    throw damaged(path, offset, error instanceof Error ? error.message : String(error));
  }
}

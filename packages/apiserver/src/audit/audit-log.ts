// The audit log: a file with a line of JSON for each event, written before the response is sent. A file that has grown large is rotated
// to a name with its time, as kube-apiserver does it.

import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { stringifyJson } from "@kubewright/api";
import type { AuditEvent } from "./audit-event.js";

/** An audit log in files, which are rotated. */
export interface AuditLog {
  readonly write: (event: AuditEvent) => void;
  close(): void;
}

/** Options of an audit log in files. */
export interface AuditLogOptions {
  /** Hears what went wrong with the file. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Bytes after which a new file is begun. Default: 100 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many rotated files are kept. Default: all of them. */
  readonly maxBackups?: number | undefined;
  /** Milliseconds for which a rotated file is kept. Default: for ever. */
  readonly maxAge?: number | undefined;
}

const usualBytes = 100 * 1024 * 1024;

/** Opens a file to append to. It records who did what, so that only its owner may read it. */
export function openAuditLog(file: string, options: AuditLogOptions = {}): AuditLog {
  const { onError = () => undefined, maxBytes = usualBytes } = options;
  let open: OpenFile | undefined = openFile(file);
  let isTidy = false;
  return {
    write: (event) => {
      if (!open) return;
      try {
        const line = Buffer.from(`${stringifyJson(event)}\n`);
        if (open.size > 0 && open.size + line.length > maxBytes)
          open = anew(open, file, () => putAside(file, event.stageTimestamp, options), onError);
        else if (!isTidy) forgetOld(file, event.stageTimestamp, options);
        isTidy = true;
        open.size += writeSync(open.descriptor, line);
      } catch (error) {
        onError(error);
      }
    },
    close: () => {
      if (open) closeSync(open.descriptor);
      open = undefined;
    },
  };
}

interface OpenFile {
  readonly descriptor: number;
  size: number;
}

function openFile(file: string): OpenFile {
  const descriptor = openSync(file, "a", 0o600);
  return { descriptor, size: fstatSync(descriptor).size };
}

/** A new file once the old one is out of the way; where that fails, the log goes on in the old one. */
function anew(old: OpenFile, file: string, clear: () => void, onError: (error: unknown) => void): OpenFile {
  try {
    clear();
    const fresh = openFile(file);
    closeSync(old.descriptor);
    return fresh;
  } catch (error) {
    onError(error);
    return old;
  }
}

/** `audit.log` becomes `audit-2026-01-01T00-00-00.000.log`. */
function putAside(file: string, time: string, options: AuditLogOptions): void {
  const [prefix, ending] = asideOf(file);
  let at = Date.parse(time);
  const name = (): string =>
    `${prefix}${new Date(at).toISOString().slice(0, -1).replaceAll(":", "-")}${ending}`;
  while (existsSync(join(dirname(file), name()))) at++;
  renameSync(file, join(dirname(file), name()));
  forgetOld(file, time, options);
}

/** The prefix and suffix around the time in the names of rotated files. */
function asideOf(file: string): readonly [prefix: string, ending: string] {
  const ending = extname(file);
  return [`${basename(file, ending)}-`, ending];
}

/** The oldest of too many go, and those that are too old. */
function forgetOld(file: string, now: string, { maxBackups, maxAge }: AuditLogOptions): void {
  if (maxBackups === undefined && maxAge === undefined) return;
  const [prefix, ending] = asideOf(file);
  const aside = readdirSync(dirname(file))
    .flatMap((name) => {
      const time = timeIn(name, prefix, ending);
      return time === undefined ? [] : [{ name, time }];
    })
    .sort((left, right) => right.time - left.time);
  const oldest = maxAge === undefined ? Number.NEGATIVE_INFINITY : Date.parse(now) - maxAge;
  for (const [index, { name, time }] of aside.entries())
    if (index >= (maxBackups ?? Number.POSITIVE_INFINITY) || time < oldest)
      rmSync(join(dirname(file), name), { force: true });
}

/** When a file was rotated; undefined for other files. */
function timeIn(name: string, prefix: string, ending: string): number | undefined {
  if (!name.startsWith(prefix) || !name.endsWith(ending)) return undefined;
  const parts = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3})$/.exec(
    name.slice(prefix.length, name.length - ending.length),
  );
  return parts ? Date.parse(`${parts[1]}:${parts[2]}:${parts[3]}Z`) : undefined;
}

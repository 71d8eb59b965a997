// An audit log as a file: a line of JSON for each event, there before the answer is. A file that has grown large is put aside under a name
// with its time, as the real server does it.
import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { AuditEvent } from "./audit-event.js";

export interface AuditLog {
  readonly write: (event: AuditEvent) => void;
  close(): void;
}

export interface AuditLogOptions {
  /** Hears what went wrong with the file. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Bytes after which a new file is begun; 100 MiB unless told. */
  readonly maxBytes?: number | undefined;
  /** How many files that were put aside are kept; all of them unless told. */
  readonly maxBackups?: number | undefined;
}

const usualBytes = 100 * 1024 * 1024;

/** Opens a file to append to. It tells who did what: nobody but its owner may read it. */
export function openAuditLog(file: string, options: AuditLogOptions = {}): AuditLog {
  const { onError = () => undefined, maxBytes = usualBytes } = options;
  let open: OpenFile | undefined = openFile(file);
  return {
    write: (event) => {
      if (!open) return;
      try {
        const line = Buffer.from(`${JSON.stringify(event)}\n`);
        if (open.size > 0 && open.size + line.length > maxBytes)
          open = anew(open, file, () => putAside(file, event.stageTimestamp, options.maxBackups), onError);
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

/** `audit.log` becomes `audit-2026-01-01T00-00-00.000000Z.log`; the oldest of too many goes. */
function putAside(file: string, time: string, keep: number | undefined): void {
  const ending = extname(file);
  const prefix = `${basename(file, ending)}-`;
  const folder = dirname(file);
  renameSync(file, join(folder, `${prefix}${time.replaceAll(":", "-")}${ending}`));
  if (keep === undefined) return;
  const isOld = (name: string): boolean => name.startsWith(prefix) && name.endsWith(ending);
  const old = readdirSync(folder).filter(isOld).sort();
  for (const name of old.slice(0, Math.max(0, old.length - keep)))
    rmSync(join(folder, name), { force: true });
}

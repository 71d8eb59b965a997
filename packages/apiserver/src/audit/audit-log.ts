// An audit log as a file: a line of JSON for each event, there before the answer is.
import { closeSync, openSync, writeSync } from "node:fs";
import type { AuditEvent } from "./audit-event.js";

export interface AuditLog {
  readonly write: (event: AuditEvent) => void;
  close(): void;
}

/** Opens a file to append to. It tells who did what: nobody but its owner may read it. */
export function openAuditLog(file: string, onError: (error: unknown) => void = () => undefined): AuditLog {
  const descriptor = openSync(file, "a", 0o600);
  let isOpen = true;
  return {
    write: (event) => {
      if (!isOpen) return;
      try {
        writeSync(descriptor, `${JSON.stringify(event)}\n`);
      } catch (error) {
        onError(error);
      }
    },
    close: () => {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

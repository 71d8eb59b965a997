// The journal: a store writes its changes here so that they outlive the process. The store stays synchronous: it appends a change
// to the journal and goes on; the request waits for the journal before it is answered.
import type { Change } from "./storage.js";

export interface Journal {
  /** Changes up to this revision would survive the process. */
  readonly flushedRevision: number;
  /** Throws when nothing can be written any more. Asked before each change. */
  check(): void;
  /** Takes a change that was just made; its revision is the one after that of the last. */
  append(resource: string, change: Change): void;
  /** Resolves when everything appended so far would survive the process; rejects when it may not. */
  flushed(): Promise<void>;
  /** Sets the callback for changes, in order, once they would survive the process. */
  onFlushed(notify: (resource: string, change: Change) => void): void;
}

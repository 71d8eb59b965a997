// Where a store writes its changes down so that they outlive the process. The store stays synchronous: it tells the journal of
// a change and goes on; whoever answers a client waits for the journal first.
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
  /** Says who is told of changes, in order, once they would survive the process. */
  onFlushed(tell: (resource: string, change: Change) => void): void;
}

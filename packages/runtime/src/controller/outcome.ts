// What a reconcile came to, and what that means for its key.
//
//   success               done; again only when something changes
//   success, requeueAfter  done; again after that time
//   conflict              somebody was faster: again after the backoff, without a word
//   failure               reported; again after the backoff
//   terminal              reported; again only when something changes
//   ended                 the worker has to stop; whoever works next starts from the whole
import { isConflict, TerminalError } from "@kubewright/api";
import type { WorkQueue } from "../queue/work-queue.js";

export type Outcome =
  | { readonly kind: "success"; readonly requeueAfter: number | undefined }
  | { readonly kind: "conflict" | "failure" | "terminal"; readonly error: unknown }
  | { readonly kind: "ended" };

/** The outcome of a reconcile that threw. */
export function failureOf(error: unknown): Outcome {
  if (error instanceof TerminalError) return { kind: "terminal", error };
  return { kind: isConflict(error) ? "conflict" : "failure", error };
}

/** Tells the queue. The key must still be in hand. */
export function settle(queue: WorkQueue, key: string, outcome: Outcome): void {
  switch (outcome.kind) {
    case "success":
      queue.forget(key);
      if (outcome.requeueAfter !== undefined) queue.addAfter(key, outcome.requeueAfter);
      return;
    case "terminal":
      queue.forget(key);
      return;
    case "conflict":
    case "failure":
      queue.retry(key);
      return;
    case "ended":
      return;
  }
}

// The outcome of a reconcile, and what it means for the object's key in the work queue.
//
//   success                again only when something changes
//   success, requeueAfter  again after that time
//   conflict               somebody else wrote first: again after the backoff, without a report
//   failure                reported; again after the backoff
//   terminal               reported; again only when something changes
//   terminating            the namespace is being deleted, so nothing can be created in it: again only when something changes
//   ended                  the worker has to stop; the next one starts from the initial list
//
// A due time the reconcile stated with `ctx.requeueAt` outlives its failure: a failed or conflicting one is repeated after its
// backoff or at the due time, whichever comes first, and a terminal one at the due time.
import { isConflict, isNamespaceTerminating, TerminalError } from "@kubewright/api";
import type { WorkQueue } from "../queue/work-queue.js";

/** `requeueAfter` is in milliseconds; for one that failed, the time left until its due time. */
export type Outcome =
  | { readonly kind: "success" | "terminating"; readonly requeueAfter: number | undefined }
  | {
      readonly kind: "conflict" | "failure" | "terminal";
      readonly error: unknown;
      readonly requeueAfter?: number | undefined;
    }
  | { readonly kind: "ended" };

/** A namespace that is being deleted never takes new objects again, but one made after it may: for objects outside of it. */
const terminatingRetry = 60_000;

/** The outcome of a reconcile that threw. */
export function failureOf(error: unknown, requeueAfter?: number): Outcome {
  if (isNamespaceTerminating(error)) return { kind: "terminating", requeueAfter: terminatingRetry };
  if (error instanceof TerminalError) return { kind: "terminal", error, requeueAfter };
  return { kind: isConflict(error) ? "conflict" : "failure", error, requeueAfter };
}

/** Queues the key again as its outcome asks for. The key must still be in flight. */
export function settle(queue: WorkQueue, key: string, outcome: Outcome): void {
  switch (outcome.kind) {
    case "success":
    case "terminal":
    case "terminating":
      queue.forget(key);
      if (outcome.requeueAfter !== undefined) queue.addAfter(key, outcome.requeueAfter);
      return;
    case "conflict":
    case "failure":
      queue.retry(key, outcome.requeueAfter);
      return;
    case "ended":
      return;
  }
}

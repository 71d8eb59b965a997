// Failures of reconciles, as people see them: by default every controller reports a failing reconcile in the condition
// ReconcileFailed and in a Warning event of the same reason, without a line of its author's code.
//
// - Reported is a failure that lasts: the second in a row, one that has gone on for ten seconds, one that will not be tried again
//   within ten seconds, and a TerminalError. A conflict and a single error that the next attempt does away with are not.
// - The first success sets the condition to False.
// - `onError` refines the report: conditions it returns take the place of ReconcileFailed.
// - A kind whose status has no conditions, and a built-in kind, whose conditions belong to its own controller, get the event only.
import { ApiError, type Clock, type ConditionUpdate, TerminalError, TimeoutError } from "@kubewright/api";
import { type Delayed, DelayQueue } from "../queue/delay-queue.js";
import type { EventInput } from "./reconcile-context.js";

/** The type of the condition, and the reason of the event. */
export const reconcileFailed = "ReconcileFailed";

/** The time after which a lasting failure is reported, in milliseconds. */
const tolerated = 10_000;
const maxMessage = 1_024;
/** Keys of which failures are counted; beyond it the ones that failed first are forgotten. */
const limit = 10_000;

export interface FailureCountsOptions {
  readonly clock: Clock;
  /** The delay of a key after its first failure, in milliseconds. */
  readonly retryDelay: number;
  /** Called when a key has failed once and not succeeded for ten seconds: its next attempt waits or is still under way. */
  readonly onLasting: (key: string, error: unknown) => void;
}

/** A key that failed and has not succeeded since. */
interface Failing extends Delayed {
  readonly key: string;
  readonly since: number;
  readonly error: unknown;
  count: number;
}

/** Counts failures in a row, by key. Conflicts are none. */
export class FailureCounts {
  readonly #options: FailureCountsOptions;
  readonly #failing = new Map<string, Failing>();
  /** Keys whose failure is not reported yet. */
  readonly #unreported: DelayQueue<Failing>;

  constructor(options: FailureCountsOptions) {
    this.#options = options;
    this.#unreported = new DelayQueue(options.clock, ({ key, error }) => options.onLasting(key, error));
  }

  /** Counts the failure of an attempt that began at this time; returns whether it is to be reported at once. */
  failed(key: string, began: number, error: unknown): boolean {
    const { clock, retryDelay } = this.#options;
    const failing = this.#failing.get(key) ?? { key, since: began, error, count: 0, due: 0, heapIndex: -1 };
    failing.count += 1;
    this.#failing.delete(key);
    this.#failing.set(key, failing);
    this.#trim();
    const reportAt = failing.since + tolerated;
    const lasts = reportAt <= clock.monotonic() || retryDelay >= tolerated;
    const isReported = failing.count > 1 || lasts || error instanceof TerminalError;
    if (isReported) this.#unreported.cancel(failing);
    else this.#unreported.schedule(failing, reportAt);
    return isReported;
  }

  /** The key succeeded, or its object is gone. */
  forget(key: string): void {
    const failing = this.#failing.get(key);
    if (!failing) return;
    this.#unreported.cancel(failing);
    this.#failing.delete(key);
  }

  close(): void {
    this.#unreported.close();
  }

  #trim(): void {
    for (const oldest of this.#failing.keys()) {
      if (this.#failing.size <= limit) return;
      this.forget(oldest);
    }
  }
}

/** The condition of an object whose reconcile fails. */
export function failedCondition(error: unknown): ConditionUpdate {
  return { type: reconcileFailed, status: "True", reason: reasonOf(error), message: messageOf(error) };
}

/** The condition of an object whose reconcile succeeded after failures. */
export const recoveredCondition: ConditionUpdate = {
  type: reconcileFailed,
  status: "False",
  reason: "ReconcileSucceeded",
  message: "",
};

export function failedEvent(error: unknown): EventInput {
  return { type: "Warning", reason: reconcileFailed, action: "Reconcile", note: messageOf(error) };
}

/** The server's reason for errors of the server. */
function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return /^[A-Z]\w*$/.test(error.reason) ? error.reason : "ServerError";
  if (error instanceof TerminalError) return "TerminalError";
  return error instanceof TimeoutError ? "Timeout" : "Error";
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;
}

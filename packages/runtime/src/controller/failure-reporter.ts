// Reports failures of reconciles: in the log, and of those that last in an event and a condition.
import { isObject, type KubeObject, withTimeout } from "@kubewright/api";
import type { LifecycleOptions } from "./lifecycle.js";
import {
  FailureCounts,
  type FailureCountsOptions,
  failedCondition,
  failedEvent,
} from "./reconcile-failures.js";
import type { ReconcileRun, RunScope } from "./reconcile-run.js";

export interface FailureReporterOptions extends Pick<FailureCountsOptions, "onLasting"> {
  readonly scope: RunScope;
  readonly lifecycle: LifecycleOptions;
  readonly onError: (where: string, error: unknown) => void;
}

/** The timeout of writing a report. */
const reportTimeout = 60_000;

export class FailureReporter {
  readonly #options: FailureReporterOptions;
  readonly #counts: FailureCounts;

  constructor(options: FailureReporterOptions) {
    const { scope, lifecycle, onLasting } = options;
    const retryDelay = lifecycle.definition.backoff?.base ?? 0;
    this.#options = options;
    this.#counts = new FailureCounts({ clock: scope.clock, retryDelay, onLasting });
  }

  /** An attempt has failed: logs it, and reports it when the failure lasts. What reconcile has set in the status is written. */
  async failed(reconcile: ReconcileRun, object: KubeObject, error: unknown): Promise<void> {
    const { scope, onError } = this.#options;
    const { run, status } = reconcile;
    const lasts = this.#counts.failed(run.key, run.began, error);
    await this.#logged(reconcile, async () => {
      run.log.error("reconcile failed", { error, reasons: run.reasons });
      onError(`${scope.controller} ${run.what}`, error);
      if (lasts) await this.#set(reconcile, object, error);
      await status.write();
    });
  }

  /** Reports a failure in an event and a condition. */
  async report(reconcile: ReconcileRun, object: KubeObject, error: unknown): Promise<void> {
    await this.#logged(reconcile, async () => {
      await this.#set(reconcile, object, error);
      await reconcile.status.write();
    });
  }

  /** The key succeeded, or its object is gone. */
  forget(key: string): void {
    this.#counts.forget(key);
  }

  close(): void {
    this.#counts.close();
  }

  async #set(reconcile: ReconcileRun, object: KubeObject, error: unknown): Promise<void> {
    const { definition, hasConditions } = this.#options.lifecycle;
    const { status } = reconcile;
    reconcile.record(failedEvent(error));
    const refined = await definition.onError?.(error, object);
    if (isObject(refined)) status.set({ ...refined });
    const isRefined = isObject(refined) && Array.isArray(refined["conditions"]);
    if (!isRefined && hasConditions()) status.set({ conditions: [failedCondition(error)] });
  }

  /** Whatever goes wrong with a report is logged. */
  async #logged({ run }: ReconcileRun, report: () => Promise<void>): Promise<void> {
    const what = `${run.what}: reporting the failure`;
    try {
      await withTimeout(this.#options.scope.clock, reportTimeout, what, report());
    } catch (problem) {
      run.log.warn("the failure could not be reported", { error: problem });
    }
  }
}

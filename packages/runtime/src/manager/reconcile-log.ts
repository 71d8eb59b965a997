// The log of reconciles: every one at debug, with why it ran, what it wrote and how long it took.
import type { ReconcileObserver, ReconcileRecord } from "../controller/reconcile-observer.js";
import type { WriteRecord } from "../controller/run-notes.js";
import type { Logger } from "../logging/logger.js";

export class ReconcileLog implements ReconcileObserver {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  reconciled({ controller, key, reasons, outcome, duration, writes, reconcileID }: ReconcileRecord): void {
    if (this.#log.writes?.("debug") === false) return;
    this.#log.debug("reconciled", {
      controller,
      object: key,
      outcome: outcome.kind,
      reasons,
      writes: writes.length > 0 ? writes.map(writeText) : undefined,
      milliseconds: Math.round(duration),
      reconcileID,
    });
  }
}

/** `apply Deployment shop/web`, and why it failed where it did. */
export const writeText = ({ verb, kind, key, error }: WriteRecord): string =>
  `${verb} ${kind} ${key}${error === undefined ? "" : `, which failed: ${error}`}`;

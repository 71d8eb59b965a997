// Metrics of the audit log.
import { metricText } from "./exposition.js";
import { LabelledCounter } from "./labelled.js";

/** The part that lost events: a file, someone who is sent them, or what is on the way there. */
export type AuditPlugin = "log" | "webhook" | "buffered" | "truncate";

export class AuditMetrics {
  readonly #levels = new LabelledCounter(
    "apiserver_audit_level_total",
    "[ALPHA] Counter of policy levels for audit events (1 per request).",
  );
  readonly #errors = new LabelledCounter(
    "apiserver_audit_error_total",
    "[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.",
  );
  #events = 0;
  #rejected = 0;

  /** A request is audited at a level. */
  auditedAt(level: string): void {
    this.#levels.add({ level });
  }

  /** An event was made. */
  emitted(): void {
    this.#events++;
  }

  /** Events were lost. */
  failed(plugin: AuditPlugin, events: number): void {
    this.#errors.add({ plugin }, events);
  }

  /** A request was refused because it could not be emitted of. */
  rejected(): void {
    this.#rejected++;
  }

  text(): string {
    return [
      this.#levels.text(),
      metricText(
        "apiserver_audit_event_total",
        "counter",
        "[ALPHA] Counter of audit events generated and sent to the audit backend.",
        [["", this.#events]],
      ),
      this.#errors.text(),
      metricText(
        "apiserver_audit_requests_rejected_total",
        "counter",
        "[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.",
        [["", this.#rejected]],
      ),
    ].join("");
  }
}

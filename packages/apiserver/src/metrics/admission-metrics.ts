// How long admission takes, by plugin and by webhook, and what it refuses.
import type { Clock } from "@kubewright/api";
import type { Histogram } from "./histogram.js";
import { LabelledCounter, LabelledHistogram } from "./labelled.js";

/** Whether objects are changed or judged, in the words of the real server. */
export type AdmissionPhase = "admit" | "validate";

const prefix = "apiserver_admission";
const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const webhookBounds = [...bounds, 10, 25];

/** What came of asking a webhook. */
export interface WebhookOutcome {
  readonly name: string;
  readonly phase: AdmissionPhase;
  readonly operation: string;
  readonly milliseconds: number;
  /** What it answered with; absent when no answer came. */
  readonly code: number;
  /** Why the request is refused because of it, where it is. */
  readonly rejection?: "calling_webhook_error" | "apiserver_internal_error" | "no_error" | undefined;
  readonly failedOpen?: boolean | undefined;
}

export class AdmissionMetrics {
  readonly #clock: Pick<Clock, "monotonic">;
  /** By plugin and operation; each phase has one for what passed and one for what was refused. */
  readonly #known = new Map<string, Map<string, Histogram[]>>();
  readonly #steps = new LabelledHistogram(
    `${prefix}_step_admission_duration_seconds`,
    "Time of admission as a whole, by operation and phase.",
    bounds,
  );
  readonly #controllers = new LabelledHistogram(
    `${prefix}_controller_admission_duration_seconds`,
    "Time of admission by plugin, operation and phase.",
    bounds,
  );
  readonly #webhooks = new LabelledHistogram(
    `${prefix}_webhook_admission_duration_seconds`,
    "Time of admission by webhook, operation and phase.",
    webhookBounds,
  );
  readonly #requests = new LabelledCounter(
    `${prefix}_webhook_request_total`,
    "Requests to webhooks by webhook, code, operation and phase.",
  );
  readonly #rejections = new LabelledCounter(
    `${prefix}_webhook_rejection_count`,
    "Requests refused because of webhooks.",
  );
  readonly #failedOpen = new LabelledCounter(
    `${prefix}_webhook_fail_open_count`,
    "Webhooks that were done without.",
  );

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Milliseconds, for durations. */
  now(): number {
    return this.#clock.monotonic();
  }

  plugin(
    name: string,
    phase: AdmissionPhase,
    operation: string,
    milliseconds: number,
    rejected = false,
  ): void {
    this.#find(this.#controllers, name, phase, operation, rejected).observe(milliseconds / 1000);
  }

  step(phase: AdmissionPhase, operation: string, milliseconds: number, rejected = false): void {
    this.#find(this.#steps, "", phase, operation, rejected).observe(milliseconds / 1000);
  }

  webhook({ name, phase, operation, milliseconds, code, rejection, failedOpen }: WebhookOutcome): void {
    const labels = { name, operation, rejected: String(rejection !== undefined), type: phase };
    this.#webhooks.of(labels).observe(milliseconds / 1000);
    this.#requests.add({ code: String(code), ...labels });
    if (rejection !== undefined)
      this.#rejections.add({
        error_type: rejection,
        name,
        operation,
        rejection_code: String(rejection === "no_error" ? code : 0),
        type: phase,
      });
    if (failedOpen) this.#failedOpen.add({ name, type: phase });
  }

  text(): string {
    const all = [
      this.#steps,
      this.#controllers,
      this.#webhooks,
      this.#requests,
      this.#rejections,
      this.#failedOpen,
    ];
    return all.map((metric) => metric.text()).join("");
  }

  /** Every write passes through every plugin: the way to its series is short. */
  #find(
    metric: LabelledHistogram,
    name: string,
    phase: AdmissionPhase,
    operation: string,
    rejected: boolean,
  ): Histogram {
    const ofPlugin = this.#known.get(name) ?? new Map<string, Histogram[]>();
    const series = ofPlugin.get(operation) ?? [];
    const index = (phase === "admit" ? 0 : 2) + (rejected ? 1 : 0);
    const found = series[index];
    if (found) return found;
    const labels = { operation, rejected: String(rejected), type: phase };
    const made = metric.of(name === "" ? labels : { name, ...labels });
    series[index] = made;
    this.#known.set(name, ofPlugin.set(operation, series));
    return made;
  }
}

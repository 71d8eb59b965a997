// Metrics of admission: durations by plugin and by webhook, and rejections.
import type { Clock } from "@kubewright/api";
import type { Histogram } from "./histogram.js";
import { LabelledCounter, LabelledHistogram } from "./labelled.js";

/** The admission phase, mutating or validating, as kube-apiserver labels it. */
export type AdmissionPhase = "admit" | "validate";

const prefix = "apiserver_admission";
const bounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const webhookBounds = [...bounds, 10, 25];

const policyBounds = [0.000_000_5, 0.001, 0.01, 0.1, 1];

/** The outcome of a validating policy. */
export interface PolicyOutcome {
  readonly policy: string;
  readonly binding: string;
  readonly action: "deny" | "warn" | "audit";
  readonly error: "no_error" | "invalid_error";
  readonly milliseconds: number;
}

/** The outcome of a webhook call. */
export interface WebhookOutcome {
  readonly name: string;
  readonly phase: AdmissionPhase;
  readonly operation: string;
  readonly milliseconds: number;
  /** The status code of its response. */
  readonly code: number;
  /** Why the request is refused because of it, where it is. */
  readonly rejection?: "calling_webhook_error" | "apiserver_internal_error" | "no_error" | undefined;
  readonly failedOpen?: boolean | undefined;
}

/** The plugins of an admission pass, and those among them that ignore the request. */
export interface PassPlan {
  readonly phase: AdmissionPhase;
  readonly names: readonly string[];
  readonly others: readonly string[];
}

/** Where the times of one pass go, as long as nothing is refused. */
export interface PassSeries {
  readonly whole: Histogram;
  readonly plugins: readonly Histogram[];
  /** Plugins that were not asked, and so took no time. */
  readonly others: readonly Histogram[];
  /** Passes that are not yet counted for those. */
  passes: number;
}

/** How long it took until something was refused, in seconds. */
export interface Refusal {
  readonly plugin: number;
  readonly whole: number;
}

export class AdmissionMetrics {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Every write passes through every plugin: the way to their series is short. */
  readonly #series = new Map<PassPlan, Map<string, PassSeries>>();
  readonly #steps = new LabelledHistogram(
    `${prefix}_step_admission_duration_seconds`,
    "[STABLE] Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).",
    bounds,
  );
  readonly #controllers = new LabelledHistogram(
    `${prefix}_controller_admission_duration_seconds`,
    "[STABLE] Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).",
    bounds,
  );
  readonly #webhooks = new LabelledHistogram(
    `${prefix}_webhook_admission_duration_seconds`,
    "[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).",
    webhookBounds,
  );
  readonly #requests = new LabelledCounter(
    `${prefix}_webhook_request_total`,
    "[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or mutating) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.",
  );
  readonly #rejections = new LabelledCounter(
    `${prefix}_webhook_rejection_count`,
    "[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.",
  );
  readonly #failedOpen = new LabelledCounter(
    `${prefix}_webhook_fail_open_count`,
    "[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or mutating).",
  );

  readonly #checks = new LabelledCounter(
    "apiserver_validating_admission_policy_check_total",
    "[BETA] Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.",
  );
  readonly #checkTimes = new LabelledHistogram(
    "apiserver_validating_admission_policy_check_duration_seconds",
    "[BETA] Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.",
    policyBounds,
  );

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Milliseconds, for durations. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** The series of a pass. */
  pass(operation: string, plan: PassPlan): PassSeries {
    let byOperation = this.#series.get(plan);
    if (!byOperation) {
      byOperation = new Map();
      this.#series.set(plan, byOperation);
    }
    let series = byOperation.get(operation);
    if (!series) {
      const labels = { operation, rejected: "false", type: plan.phase };
      const ofPlugin = (name: string): Histogram => this.#controllers.of({ name, ...labels });
      const [plugins, others] = [plan.names.map(ofPlugin), plan.others.map(ofPlugin)];
      series = { whole: this.#steps.of(labels), plugins, others, passes: 0 };
      byOperation.set(operation, series);
    }
    return series;
  }

  #countOthers(): void {
    for (const byOperation of this.#series.values())
      for (const series of byOperation.values()) {
        for (const histogram of series.others) histogram.observe(0, series.passes);
        series.passes = 0;
      }
  }

  /** A pass that ended with a refusal. */
  refused(phase: AdmissionPhase, operation: string, plugin: string, seconds: Refusal): void {
    const labels = { operation, rejected: "true", type: phase };
    this.#controllers.of({ name: plugin, ...labels }).observe(seconds.plugin);
    this.#steps.of(labels).observe(seconds.whole);
  }

  webhook({ name, phase, operation, milliseconds, code, rejection, failedOpen }: WebhookOutcome): void {
    const labels = { name, operation, rejected: String(rejection !== undefined), type: phase };
    this.#webhooks.of(labels).observe(milliseconds / 1000);
    this.#requests.add({ code: shownCode(code), ...labels });
    if (rejection !== undefined)
      this.#rejections.add({
        error_type: rejection,
        name,
        operation,
        rejection_code: rejection === "no_error" ? shownCode(code) : "0",
        type: phase,
      });
    if (failedOpen) this.#failedOpen.add({ name, type: phase });
  }

  /** A policy did something about a request: refused it, warned of it or noted it. */
  policy({ policy, binding, action, error, milliseconds }: PolicyOutcome): void {
    const labels = { enforcement_action: action, error_type: error, policy, policy_binding: binding };
    this.#checks.add(labels);
    this.#checkTimes.of(labels).observe(milliseconds / 1000);
  }

  /** In Prometheus' format, in pieces of which none takes long to make. */
  *pieces(): Iterable<string> {
    this.#countOthers();
    yield* this.#steps.pieces();
    yield* this.#controllers.pieces();
    yield* this.#webhooks.pieces();
    yield* this.#requests.pieces();
    yield* this.#rejections.pieces();
    yield* this.#failedOpen.pieces();
    yield* this.#checks.pieces();
    yield* this.#checkTimes.pieces();
  }
}

/** Codes are the webhook's to choose: those that HTTP does not know are all one. */
const shownCode = (code: number): string => String(Math.min(code, 600));

// One pass of a request through the plugins of admission, timed: each from the end of the one before it.
import type { AdmissionMetrics, PassPlan, PassSeries } from "../metrics/admission-metrics.js";

export class MeasuredPass {
  readonly #metrics: AdmissionMetrics;
  readonly #operation: string;
  readonly #plan: PassPlan;
  readonly #series: PassSeries;
  readonly #began: number;
  #last: number;
  #place = 0;

  constructor(metrics: AdmissionMetrics, operation: string, plan: PassPlan) {
    this.#metrics = metrics;
    this.#operation = operation;
    this.#plan = plan;
    this.#series = metrics.pass(operation, plan);
    this.#began = metrics.now();
    this.#last = this.#began;
  }

  /** The next plugin is done. */
  next(): void {
    const now = this.#metrics.now();
    this.#series.plugins[this.#place++]?.observe((now - this.#last) / 1000);
    this.#last = now;
  }

  /** Nothing was refused. */
  passed(): void {
    this.#series.passes += 1;
    this.#series.whole.observe((this.#metrics.now() - this.#began) / 1000);
  }

  /** The plugin that was next refused the request. */
  refused(): void {
    const now = this.#metrics.now();
    const plugin = this.#plan.names[this.#place] ?? "";
    const seconds = { plugin: (now - this.#last) / 1000, whole: (now - this.#began) / 1000 };
    this.#metrics.refused(this.#plan.phase, this.#operation, plugin, seconds);
  }
}

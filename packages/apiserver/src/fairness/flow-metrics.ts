// Metrics of API priority and fairness: queued, executing, dispatched and rejected requests, and how long they were queued.
import { metricText, type Sample } from "../metrics/exposition.js";
import { Histogram } from "../metrics/histogram.js";
import type { FlowClass } from "./classifier.js";

/** Upper bounds of waiting, in seconds, those of kube-apiserver. */
const waitBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** The numbers of one flow schema at one priority level. */
export class FlowNumbers {
  readonly labels: string;
  readonly waits = new Histogram(waitBounds);
  waiting = 0;
  executing = 0;
  dispatched = 0;
  rejected = 0;

  constructor(labels: string) {
    this.labels = labels;
  }
}

const prefix = "apiserver_flowcontrol";

export class FlowMetrics {
  readonly #numbers = new Map<string, FlowNumbers>();

  of({ schema, level }: Pick<FlowClass, "schema" | "level">): FlowNumbers {
    const labels = `flow_schema="${schema}",priority_level="${level}"`;
    let numbers = this.#numbers.get(labels);
    if (!numbers) {
      numbers = new FlowNumbers(labels);
      this.#numbers.set(labels, numbers);
    }
    return numbers;
  }

  /** In Prometheus' format. */
  text(): string {
    const all = [...this.#numbers.values()];
    const samples = (value: (numbers: FlowNumbers) => number): Sample[] =>
      all.map((numbers) => [numbers.labels, value(numbers)]);
    const refused = all.filter(({ rejected }) => rejected > 0);
    return [
      metricText(
        `${prefix}_dispatched_requests_total`,
        "counter",
        "[BETA] Number of requests executed by API Priority and Fairness subsystem",
        samples(({ dispatched }) => dispatched),
      ),
      metricText(
        `${prefix}_rejected_requests_total`,
        "counter",
        "[BETA] Number of requests rejected by API Priority and Fairness subsystem",
        refused.map(({ labels, rejected }) => [`${labels},reason="queue-full"`, rejected]),
      ),
      // Every request takes one seat.
      metricText(
        `${prefix}_current_executing_seats`,
        "gauge",
        "[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
        samples(({ executing }) => executing),
      ),
      metricText(
        `${prefix}_current_inqueue_requests`,
        "gauge",
        "[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem",
        samples(({ waiting }) => waiting),
      ),
      metricText(
        `${prefix}_current_executing_requests`,
        "gauge",
        "[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
        samples(({ executing }) => executing),
      ),
      metricText(
        `${prefix}_request_wait_duration_seconds`,
        "histogram",
        "[BETA] Length of time a request spent waiting in its queue",
        all.flatMap(({ labels, waits }) => [...waits.samples(`execute="true",${labels}`)]),
      ),
    ].join("");
  }
}

// What is counted of flows: how many of their requests wait, are worked on, had their turn or were refused, and how long they waited.
import { metricText, type Sample } from "../metrics/exposition.js";
import { Histogram } from "../metrics/histogram.js";
import type { FlowClass } from "./classifier.js";

/** Upper bounds of waiting, in seconds, those of the real server. */
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
        "Requests whose turn came.",
        samples(({ dispatched }) => dispatched),
      ),
      metricText(
        `${prefix}_rejected_requests_total`,
        "counter",
        "Requests refused because too many of their flow waited.",
        refused.map(({ labels, rejected }) => [`${labels},reason="queue-full"`, rejected]),
      ),
      // Every request takes one seat.
      metricText(
        `${prefix}_current_executing_seats`,
        "gauge",
        "Seats of requests that are being worked on.",
        samples(({ executing }) => executing),
      ),
      metricText(
        `${prefix}_current_inqueue_requests`,
        "gauge",
        "Requests that wait for their turn.",
        samples(({ waiting }) => waiting),
      ),
      metricText(
        `${prefix}_current_executing_requests`,
        "gauge",
        "Requests that are worked on.",
        samples(({ executing }) => executing),
      ),
      metricText(
        `${prefix}_request_wait_duration_seconds`,
        "histogram",
        "Time until the turn of a request.",
        all.flatMap(({ labels, waits }) => [...waits.samples(`execute="true",${labels}`)]),
      ),
    ].join("");
  }
}

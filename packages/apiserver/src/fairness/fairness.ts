// Priority and fairness of one server: which flow a request belongs to, its turn, and what is told of it.
import { ApiError, type TransportResponse } from "@kubewright/api";
import { metricText } from "../metrics/exposition.js";
import type { RequestInfo } from "../request/request-info.js";
import type { UserInfo } from "../request/user.js";
import type { Storage } from "../storage/index.js";
import { type FlowClass, FlowClassifier } from "./classifier.js";
import { FairQueue, QueueFull } from "./fair-queue.js";

export class Fairness {
  readonly #classifier: FlowClassifier;
  readonly #queue = new FairQueue();
  readonly #dispatched = new Map<string, number>();
  readonly #rejected = new Map<string, number>();

  constructor(storage: Storage) {
    this.#classifier = new FlowClassifier(storage);
  }

  classify(user: UserInfo, info: RequestInfo): FlowClass | undefined {
    return this.#classifier.classify(user, info);
  }

  /** Resolves when it is the turn of the flow; rejects with 429 when it has too much waiting already. */
  async turn(flow: FlowClass | undefined): Promise<void> {
    const labels = flow ? `flow_schema="${flow.schema}",priority_level="${flow.level}"` : "";
    try {
      await this.#queue.enter(flow?.flow ?? "", flow?.isExempt !== true);
      count(this.#dispatched, labels);
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      count(this.#rejected, `${labels}${labels === "" ? "" : ","}reason="queue-full"`);
      throw new ApiError("Too many requests, please try again later.", {
        code: 429,
        reason: "TooManyRequests",
        details: { retryAfterSeconds: 1 },
      });
    }
  }

  /** In Prometheus' format. */
  metrics(): string {
    return [
      metricText(
        "apiserver_flowcontrol_dispatched_requests_total",
        "counter",
        "Requests whose turn came.",
        this.#dispatched,
      ),
      metricText(
        "apiserver_flowcontrol_rejected_requests_total",
        "counter",
        "Requests refused because too many of their flow waited.",
        this.#rejected,
      ),
      metricText(
        "apiserver_flowcontrol_current_inqueue_requests",
        "gauge",
        "Requests that wait for their turn.",
        [["", this.#queue.size]],
      ),
    ].join("");
  }

  close(): void {
    this.#classifier.close();
  }
}

/** The answer with what tells a client how it was treated. */
export function withFlow(response: TransportResponse, flow: FlowClass | undefined): TransportResponse {
  if (!flow) return response;
  return {
    ...response,
    headers: {
      ...response.headers,
      "x-kubernetes-pf-flowschema-uid": flow.schemaUid,
      "x-kubernetes-pf-prioritylevel-uid": flow.levelUid,
    },
  };
}

const count = (counts: Map<string, number>, labels: string): void => {
  counts.set(labels, (counts.get(labels) ?? 0) + 1);
};

// Priority and fairness of one server: which flow a request belongs to, its turn, and what is told of it.
import { ApiError, type Clock, systemClock, type TransportResponse } from "@kubewright/api";
import type { RequestInfo } from "../request/request-info.js";
import type { UserInfo } from "../request/user.js";
import type { Storage } from "../storage/index.js";
import { type FlowClass, FlowClassifier } from "./classifier.js";
import { FairQueue, QueueFull } from "./fair-queue.js";
import { FlowMetrics } from "./flow-metrics.js";

export class Fairness {
  readonly #classifier: FlowClassifier;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #queue = new FairQueue();
  readonly #metrics = new FlowMetrics();

  constructor(storage: Storage, clock: Pick<Clock, "monotonic"> = systemClock) {
    this.#classifier = new FlowClassifier(storage);
    this.#clock = clock;
  }

  classify(user: UserInfo, info: RequestInfo): FlowClass | undefined {
    return this.#classifier.classify(user, info);
  }

  /** Resolves when it is the turn of the flow, to what says that it is over; rejects with 429 when too much of it waits already. */
  async turn(flow: FlowClass | undefined): Promise<() => void> {
    const numbers = this.#metrics.of(flow ?? unclassified);
    const began = this.#clock.monotonic();
    numbers.waiting++;
    try {
      await this.#queue.enter(flow?.flow ?? "", flow?.isExempt !== true);
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      numbers.rejected++;
      throw tooMany();
    } finally {
      numbers.waiting--;
    }
    numbers.dispatched++;
    numbers.executing++;
    numbers.waits.observe((this.#clock.monotonic() - began) / 1000);
    return () => {
      numbers.executing--;
    };
  }

  /** In Prometheus' format. */
  metrics(): string {
    return this.#metrics.text();
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

/** Where no schema is left that everyone belongs to. */
const unclassified = { schema: "", level: "" };

const tooMany = (): ApiError =>
  new ApiError("Too many requests, please try again later.", {
    code: 429,
    reason: "TooManyRequests",
    details: { retryAfterSeconds: 1 },
  });

// An older view: a manager that has just started is answered by an API server whose cache lags behind, so its informers begin with a state
// that was true some time ago. The runtime asks for the newest state, which a correct server has to give; a server that was restored from a
// backup, or an informer of another library, does not.
import type { TransportRequest, TransportResponse } from "@kubewright/api";

type Send = (request: TransportRequest) => Promise<TransportResponse>;

export class OlderView {
  readonly #revision: number;
  /** The lists that informers are about to ask for, since they could not have them as streams. */
  readonly #awaited = new Set<string>();

  /** The revision of the storage that is seen. */
  constructor(revision: number) {
    this.#revision = revision;
  }

  /** Answers a request in the older state if it is the first list of an informer. */
  async send(request: TransportRequest, next: Send): Promise<TransportResponse> {
    const { method, query } = request;
    if (method !== "GET") return next(request);
    const key = keyOf(request);
    if (query?.has("sendInitialEvents")) {
      this.#awaited.add(key);
      return noStreams;
    }
    const isFirst = !query?.has("watch") && !query?.has("continue") && this.#awaited.delete(key);
    return isFirst ? this.#older(request, next) : next(request);
  }

  async #older(request: TransportRequest, next: Send): Promise<TransportResponse> {
    const query = new URLSearchParams(request.query);
    query.set("resourceVersion", `${this.#revision}`);
    query.set("resourceVersionMatch", "Exact");
    const response = await next({ ...request, query });
    // Nobody sees what has been compacted.
    return response.status === 410 ? next(request) : response;
  }
}

const keyOf = ({ path, query }: TransportRequest): string =>
  [path, query?.get("labelSelector"), query?.get("fieldSelector")].join(" ");

/** As a server without streaming lists refuses them. */
const noStreams: TransportResponse = {
  status: 400,
  headers: {},
  body: {
    kind: "object",
    value: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      code: 400,
      reason: "BadRequest",
      message: "sendInitialEvents is not supported, on purpose",
    },
  },
};

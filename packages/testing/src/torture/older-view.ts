// An older view: a manager that has just started is answered by an API server whose cache lags behind, so its informers begin with a state
// that was true some time ago. The runtime asks for the newest state, which a correct server has to give; a server that was restored from a
// backup, or an informer of another library, does not.
import type { TransportRequest, TransportResponse } from "@kubewright/api";

type Send = (request: TransportRequest) => Promise<TransportResponse>;

/**
 * Answers the informers of a manager that has just started in an older state; for a middleware of the manager.
 *
 * @example const seen = new OlderView(cluster.cluster.contents().revision);
 */
export class OlderView {
  readonly #revision: number;
  readonly #resources: ReadonlySet<string> | undefined;
  /** The lists that informers are about to ask for, since they could not have them as streams. */
  readonly #awaited = new Set<string>();

  /** The revision of the storage that is seen, and the resources that are seen so; by default all. */
  constructor(revision: number, resources?: readonly string[]) {
    this.#revision = revision;
    this.#resources = resources && new Set(resources);
  }

  /** Answers a request in the older state if it is the first list of an informer. */
  async send(request: TransportRequest, next: Send): Promise<TransportResponse> {
    const { method, query } = request;
    if (method !== "GET" || !this.#isOld(request)) return next(request);
    const key = keyOf(request);
    if (query?.has("sendInitialEvents")) {
      this.#awaited.add(key);
      return noStreams;
    }
    const isFirst = !query?.has("watch") && !query?.has("continue") && this.#awaited.delete(key);
    return isFirst ? this.#older(request, next) : next(request);
  }

  #isOld({ path }: TransportRequest): boolean {
    return this.#resources?.has(path.split("/").at(-1) ?? "") ?? true;
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

// The metrics of pods and nodes as metrics-server serves them: what `kubectl top` shows, and what anybody may read as
// `metrics.k8s.io/v1beta1`. The numbers are those autoscalers go by.
import {
  ApiError,
  type Clock,
  FieldMatcher,
  formatTime,
  type KubeObject,
  LabelMatcher,
  type TransportRequest,
  type TransportResponse,
  toStatus,
} from "@kubewright/api";
import { isTableWanted, type Measured, metricsTable, usageText } from "./metrics-table.js";
import type { SimulatedMetrics } from "./simulated-metrics.js";

/** The name of its APIService. */
export const metricsApiName = "v1beta1.metrics.k8s.io";

const apiVersion = "metrics.k8s.io/v1beta1";
const root = `/apis/${apiVersion}`;
/** Over how long usage is averaged; numbers of a simulation are as they are now. */
const window = "15s";

const resourceList = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: apiVersion,
  resources: [
    { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
    { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ],
};

/** The request of a path below the root. */
interface Asked {
  readonly resource: "nodes" | "pods";
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export class MetricsApi {
  readonly #metrics: SimulatedMetrics;
  readonly #clock: Clock;

  constructor(metrics: SimulatedMetrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** Answers requests for the group; who may ask was decided before. */
  readonly handle = async (request: TransportRequest): Promise<TransportResponse> => {
    try {
      return answer(200, this.#answer(request));
    } catch (error) {
      const failure = failureOf(error);
      return answer(failure.code, toStatus(failure));
    }
  };

  #answer({ method, path, query, headers }: TransportRequest): unknown {
    if (path === root || path === `${root}/`) return resourceList;
    const asked = askedBy(path);
    if (!asked)
      throw new ApiError("the server could not find the requested resource", {
        code: 404,
        reason: "NotFound",
      });
    if (method !== "GET")
      throw new ApiError("the server does not allow this method on the requested resource", {
        code: 405,
        reason: "MethodNotAllowed",
      });
    const items = asked.resource === "nodes" ? this.#nodes(asked, query) : this.#pods(asked, query);
    const [item] = items;
    if (asked.name !== undefined && !item) throw notFound(asked);
    if (isTableWanted(headers?.["accept"])) return metricsTable(items);
    const kind = asked.resource === "nodes" ? "NodeMetrics" : "PodMetrics";
    if (asked.name !== undefined) return { kind, apiVersion, ...item };
    return { kind: `${kind}List`, apiVersion, metadata: {}, items };
  }

  #pods(asked: Asked, query: URLSearchParams | undefined): readonly Measured[] {
    const isMeant = filterOf(asked, query);
    return this.#metrics.pods(asked.namespace).flatMap(({ pod, containers }) => {
      if (!isMeant(pod)) return [];
      const used = containers.map((one) => ({ name: one.name, usage: usageText(one) }));
      return [{ ...this.#head(pod), containers: used }];
    });
  }

  #nodes(asked: Asked, query: URLSearchParams | undefined): readonly Measured[] {
    const isMeant = filterOf(asked, query);
    return this.#metrics
      .nodes()
      .flatMap(({ node, cpu, memory }) =>
        isMeant(node) ? [{ ...this.#head(node), usage: usageText({ cpu, memory }) }] : [],
      );
  }

  #head({ metadata = {} }: KubeObject): Omit<Measured, "containers" | "usage"> {
    const { name = "", namespace, labels } = metadata;
    const now = formatTime(this.#clock.now());
    return {
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        creationTimestamp: now,
        ...(labels ? { labels } : {}),
      },
      timestamp: now,
      window,
    };
  }
}

/** Selectors and paths that cannot be read are the client's mistake. */
function failureOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SyntaxError || error instanceof URIError)
    return new ApiError(error.message, { code: 400, reason: "BadRequest" });
  throw error;
}

function askedBy(path: string): Asked | undefined {
  if (!path.startsWith(`${root}/`)) return undefined;
  const parts = path
    .slice(root.length + 1)
    .split("/")
    .map(decodeURIComponent);
  const [first, second, third, fourth, fifth] = parts;
  if (first === "namespaces" && second && third === "pods" && fifth === undefined)
    return { resource: "pods", namespace: second, name: fourth };
  if (first === "nodes" && third === undefined)
    return { resource: "nodes", namespace: undefined, name: second };
  return first === "pods" && second === undefined
    ? { resource: "pods", namespace: undefined, name: undefined }
    : undefined;
}

function filterOf({ name }: Asked, query: URLSearchParams | undefined): (object: KubeObject) => boolean {
  if (name !== undefined) return ({ metadata }) => metadata?.name === name;
  const labels = LabelMatcher.parse(query?.get("labelSelector") ?? "");
  const fields = FieldMatcher.parse(query?.get("fieldSelector") ?? "");
  return ({ metadata }) =>
    labels.matches(metadata?.labels) &&
    fields.matches({
      "metadata.name": metadata?.name ?? "",
      ...(metadata?.namespace === undefined ? {} : { "metadata.namespace": metadata.namespace }),
    });
}

function notFound({ resource, namespace, name }: Asked): ApiError {
  const [plural, id] =
    resource === "nodes" ? ["nodemetrics", name ?? ""] : ["podmetrics", `${namespace}/${name}`];
  return new ApiError(`${plural}.metrics.k8s.io "${id}" not found`, {
    code: 404,
    reason: "NotFound",
    details: { name: id, group: "metrics.k8s.io", kind: plural },
  });
}

const answer = (status: number, value: unknown): TransportResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: { kind: "object", value },
});

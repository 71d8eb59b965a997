// Metrics of the server, under the names that kube-apiserver gives them, so that dashboards made for it work.
import type { Clock, TransportRequest } from "@kubewright/api";
import { HealthCounts } from "../health.js";
import type { RequestInfo } from "../request/request-info.js";
import type { Storage } from "../storage/index.js";
import { AccessMetrics } from "./access-metrics.js";
import { AdmissionMetrics } from "./admission-metrics.js";
import { AuditMetrics } from "./audit-metrics.js";
import { labelText, metricPieces, metricText } from "./exposition.js";
import { ListMetrics } from "./list-metrics.js";
import { processMetrics } from "./process-metrics.js";
import { RequestMetrics } from "./request-metrics.js";
import type { ServedResources } from "./served-resources.js";
import { storedObjects } from "./stored-objects.js";
import { WatchEventMetrics } from "./watch-event-metrics.js";

const buildInfo = labelText({
  build_date: "2026-01-01T00:00:00Z",
  compiler: "kubewright",
  git_commit: "embedded",
  git_tree_state: "clean",
  git_version: "v1.36.4",
  go_version: "none",
  major: "1",
  minor: "36",
  platform: "linux/amd64",
});

const buildHelp =
  "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.";

type RequestKind = "mutating" | "readOnly";

export class ServerMetrics {
  readonly #registry: ServedResources;
  readonly #requests: RequestMetrics;
  readonly #inFlight = { mutating: 0, readOnly: 0 };
  readonly #terminated = new Map<string, number>();
  readonly watchEvents = new WatchEventMetrics();
  readonly audit = new AuditMetrics();
  readonly admission: AdmissionMetrics;
  readonly access = new AccessMetrics();
  readonly lists = new ListMetrics();
  readonly health = new HealthCounts();

  constructor(registry: ServedResources, clock: Pick<Clock, "monotonic">) {
    this.#registry = registry;
    this.#requests = new RequestMetrics(registry);
    this.admission = new AdmissionMetrics(clock);
  }

  /** A request is being worked on. */
  entered(request: TransportRequest): void {
    this.#inFlight[kindOf(request)]++;
  }

  /**
   * The response is complete. The duration of watches is not recorded. Returns the callback for the size of the
   * response, where it is recorded.
   */
  answered(
    request: TransportRequest,
    info: RequestInfo,
    code: number,
    time: { readonly milliseconds: number; readonly outside: number },
  ): ((bytes: number) => void) | undefined {
    this.#inFlight[kindOf(request)]--;
    const series = this.#requests.of(request, info);
    series.count(code);
    if (request.body?.kind === "bytes") series.bodies?.observe(request.body.bytes.length);
    if (info.kind === "resource" && info.verb === "watch") return undefined;
    series.observe(time.milliseconds / 1000, time.outside / 1000);
    if (request.method !== "GET") return undefined;
    const { sizes } = series.common;
    return (bytes) => sizes.observe(bytes);
  }

  /** A watch is open until the returned function is called. */
  opened(request: TransportRequest, info: RequestInfo): () => void {
    const { common } = this.#requests.of(request, info);
    common.open++;
    return () => {
      common.open--;
    };
  }

  /** A watch was ended because its client did not keep up. */
  terminated(group: string, resource: string): void {
    const labels = labelText({ group, resource });
    this.#terminated.set(labels, (this.#terminated.get(labels) ?? 0) + 1);
  }

  /** All of it, in Prometheus' format, in pieces of which none takes long to make. */
  *pieces(storage: Storage): Iterable<string> {
    yield* this.#requests.pieces();
    yield metricText(
      "apiserver_current_inflight_requests",
      "gauge",
      "[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
      Object.entries(this.#inFlight).map(([kind, count]) => [`request_kind="${kind}"`, count]),
    );
    yield* metricPieces(
      "apiserver_terminated_watchers_total",
      "counter",
      "[ALPHA] Counter of watchers closed due to unresponsiveness broken by resource type.",
      this.#terminated,
    );
    this.watchEvents.forget(
      ({ group, version, plural }) => this.#registry.find(group, version, plural) !== undefined,
    );
    yield* this.watchEvents.pieces();
    yield* this.admission.pieces();
    yield this.access.text();
    this.lists.forget(this.#registry.all());
    yield this.lists.text();
    yield this.audit.text();
    yield metricText("kubernetes_build_info", "gauge", buildHelp, [[buildInfo, 1]]);
    yield* storedObjects(storage, this.#registry);
    yield processMetrics();
  }
}

const kindOf = ({ method }: TransportRequest): RequestKind =>
  method === "GET" || method === "HEAD" || method === "OPTIONS" ? "readOnly" : "mutating";

// What the server counts of itself, under the names Kubernetes gives these numbers, so that dashboards made for it work.
import type { Clock, TransportRequest } from "@kubewright/api";
import { HealthCounts } from "../health.js";
import type { Registry } from "../registry/registry.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { RequestInfo } from "../request/request-info.js";
import type { Storage } from "../storage/index.js";
import { AccessMetrics } from "./access-metrics.js";
import { AdmissionMetrics } from "./admission-metrics.js";
import { labelText, metricText } from "./exposition.js";
import { LabelledCounter } from "./labelled.js";
import { ListMetrics } from "./list-metrics.js";
import { processMetrics } from "./process-metrics.js";
import { RequestMetrics } from "./request-metrics.js";
import { storedObjects } from "./stored-objects.js";

type GroupVersionPlural = Pick<ResourceKind, "group" | "version" | "plural">;

/** How many events of a kind were sent. */
export interface WatchEventCount {
  sent: number;
}

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

type RequestKind = "mutating" | "readOnly";

export class ServerMetrics {
  readonly #registry: Registry;
  readonly #requests: RequestMetrics;
  readonly #inFlight = { mutating: 0, readOnly: 0 };
  readonly #terminated = new Map<string, number>();
  readonly #watchEvents = new Map<string, WatchEventCount>();
  readonly #audited = new LabelledCounter(
    "apiserver_audit_level_total",
    "Requests by the level they are audited at.",
  );
  readonly #auditEvents = new LabelledCounter(
    "apiserver_audit_event_total",
    "Events handed to the audit log.",
  );
  readonly #auditErrors = new LabelledCounter(
    "apiserver_audit_error_total",
    "Events the audit log did not take.",
  );
  readonly admission: AdmissionMetrics;
  readonly access = new AccessMetrics();
  readonly lists = new ListMetrics();
  readonly health = new HealthCounts();

  constructor(registry: Registry, clock: Pick<Clock, "monotonic">) {
    this.#registry = registry;
    this.#requests = new RequestMetrics(registry);
    this.admission = new AdmissionMetrics(clock);
  }

  /** What counts the events of watches of a kind. */
  watchEvents({ group, version, plural }: GroupVersionPlural): WatchEventCount {
    const labels = labelText({ group, resource: plural, version });
    let count = this.#watchEvents.get(labels);
    if (!count) {
      count = { sent: 0 };
      this.#watchEvents.set(labels, count);
    }
    return count;
  }

  /** A request is audited at a level. */
  auditedAt(level: string): void {
    this.#audited.add({ level });
  }

  /** The audit log was told of something, or failed to hear it. */
  auditTold(isHeard: boolean): void {
    this.#auditEvents.add({});
    if (!isHeard) this.#auditErrors.add({ plugin: "log" });
  }

  /** A request is being worked on. */
  entered(request: TransportRequest): void {
    this.#inFlight[kindOf(request)]++;
  }

  /**
   * It was answered. Of watches, which last as long as clients like, no duration is kept. Returns who wants to hear how large the
   * answer was, if someone does.
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
    yield* [
      metricText(
        "apiserver_current_inflight_requests",
        "gauge",
        "Requests being worked on.",
        Object.entries(this.#inFlight).map(([kind, count]) => [`request_kind="${kind}"`, count]),
      ),
      metricText(
        "apiserver_terminated_watchers_total",
        "counter",
        "Watches ended because their client did not keep up.",
        this.#terminated,
      ),
      metricText(
        "apiserver_watch_events_total",
        "counter",
        "Events sent to watches.",
        [...this.#watchEvents].map(([labels, { sent }]) => [labels, sent]),
      ),
      this.admission.text(),
      this.access.text(),
      this.lists.text(),
      this.#audited.text(),
      this.#auditEvents.text(),
      this.#auditErrors.text(),
      metricText("kubernetes_build_info", "gauge", "The version that is spoken.", [[buildInfo, 1]]),
      storedObjects(storage, this.#registry),
      processMetrics(),
    ];
  }
}

const kindOf = ({ method }: TransportRequest): RequestKind =>
  method === "GET" || method === "HEAD" || method === "OPTIONS" ? "readOnly" : "mutating";

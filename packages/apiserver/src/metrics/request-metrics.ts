// Metrics of requests: counts, durations, sizes of requests and responses.
import type { TransportRequest } from "@kubewright/api";
import type { RequestInfo } from "../request/request-info.js";
import { labelText, metricPieces, metricText, type Sample } from "./exposition.js";
import { LabelledHistogram } from "./labelled.js";
import { type RequestLabels, requestLabels } from "./request-labels.js";
import { CommonSeries, RequestSeries } from "./request-series.js";
import type { ServedResources } from "./served-resources.js";

/** Upper bounds in bytes: up to the largest body there may be. */
const bodyBounds = Array.from({ length: 31 }, (_, index) => 50_000 + index * 100_000);

const bodyVerbs: Readonly<Record<string, string>> = {
  create: "create",
  update: "update",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete_collection",
};

/** Kinds that are served and should not be used any more. None has a release in which it goes. */
const deprecated = new Set(["componentstatuses", "endpoints"]);

export class RequestMetrics {
  readonly #registry: ServedResources;
  readonly #series = new Map<string, RequestSeries>();
  readonly #common = new Map<string, CommonSeries>();
  /** The labels of all series of a resource, by `group version resource`. */
  readonly #resources = new Map<string, RequestLabels[]>();
  readonly #deprecated = new Map<string, RequestLabels>();
  readonly #bodies = new LabelledHistogram(
    "apiserver_request_body_size_bytes",
    "[ALPHA] Apiserver request body size in bytes broken out by resource and verb.",
    bodyBounds,
  );

  constructor(registry: ServedResources) {
    this.#registry = registry;
  }

  /** The series of requests like this one. */
  of(request: TransportRequest, info: RequestInfo): RequestSeries {
    const labels = requestLabels(request, info, this.#registry);
    const { group, version, resource, subresource } = labels;
    const key = keyOf(labels);
    const known = this.#series.get(key);
    if (known) return known;
    const bodyVerb = info.kind === "resource" && resource !== "" ? bodyVerbs[info.verb] : undefined;
    const bodies = bodyVerb === undefined ? undefined : this.#bodies.of({ group, resource, verb: bodyVerb });
    const series = new RequestSeries(printed(labels), this.#commonOf(labels), bodies);
    this.#series.set(key, series);
    const name = `${group} ${version} ${resource}`;
    this.#resources.set(name, [...(this.#resources.get(name) ?? []), labels]);
    if (group === "" && deprecated.has(resource)) this.#deprecated.set(`${resource}/${subresource}`, labels);
    return series;
  }

  /** Forgets the resources that are no longer served, unless watches of them are open. */
  #forgetGone(): void {
    for (const [name, all] of this.#resources) {
      const [group = "", version = "", resource = ""] = name.split(" ");
      if (resource === "" || this.#registry.find(group, version, resource)) continue;
      if (all.some((labels) => (this.#common.get(withoutDryRun(labels))?.open ?? 0) > 0)) continue;
      this.#resources.delete(name);
      for (const labels of all) this.#forget(labels);
    }
  }

  #forget(labels: RequestLabels): void {
    const { group, resource } = labels;
    this.#series.delete(keyOf(labels));
    this.#common.delete(withoutDryRun(labels));
    for (const verb of Object.values(bodyVerbs)) this.#bodies.delete({ group, resource, verb });
  }

  *pieces(): Iterable<string> {
    this.#forgetGone();
    const series = [...this.#series.values()];
    const common = [...this.#common.values()];
    yield* metricPieces(
      "apiserver_request_total",
      "counter",
      "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
      samplesOf(series, (one) => one.counts()),
    );
    yield* metricPieces(
      "apiserver_request_duration_seconds",
      "histogram",
      "[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.",
      samplesOf(series, (one) => one.durations()),
    );
    yield* metricPieces(
      "apiserver_request_sli_duration_seconds",
      "histogram",
      "[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.",
      samplesOf(common, ({ labels, durations }) => durations.samples(labels)),
    );
    yield* metricPieces(
      "apiserver_response_sizes",
      "histogram",
      "[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.",
      samplesOf(common, ({ labels, sizes }) => sizes.samples(labels)),
    );
    yield* this.#bodies.pieces();
    yield* metricPieces(
      "apiserver_longrunning_requests",
      "gauge",
      "[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.",
      common.filter(({ open }) => open > 0).map(({ labels, open }) => [labels, open]),
    );
    yield metricText(
      "apiserver_requested_deprecated_apis",
      "gauge",
      "[STABLE] Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.",
      [...this.#deprecated.values()].map(({ group, resource, subresource, version }) => [
        labelText({ group, removed_release: "", resource, subresource, version }),
        1,
      ]),
    );
  }

  #commonOf(labels: RequestLabels): CommonSeries {
    const text = withoutDryRun(labels);
    const known = this.#common.get(text) ?? new CommonSeries(text);
    this.#common.set(text, known);
    return known;
  }
}

const keyOf = ({ verb, group, version, resource, subresource, scope, dryRun }: RequestLabels): string =>
  `${verb} ${group} ${version} ${resource} ${subresource} ${scope} ${dryRun}`;

function printed({ dryRun, group, resource, scope, subresource, verb, version }: RequestLabels): string {
  const labels = { group, resource, scope, subresource, verb, version };
  return labelText({ component: "apiserver", dry_run: dryRun, ...labels });
}

const withoutDryRun = ({ group, resource, scope, subresource, verb, version }: RequestLabels): string =>
  labelText({ component: "apiserver", group, resource, scope, subresource, verb, version });

function* samplesOf<T>(things: readonly T[], samples: (thing: T) => Iterable<Sample>): Iterable<Sample> {
  for (const thing of things) yield* samples(thing);
}

// `/livez`, `/readyz`, `/healthz`: the checks kube-apiserver names, all of which hold once this one answers at all, but for the one
// that says that it is about to stop.
import type { TransportResponse } from "@kubewright/api";
import { labelText, metricText, type Sample } from "./metrics/exposition.js";
import { textResponse } from "./request/responses.js";

const startup = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "storage-readiness",
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "aggregator-reload-proxy-client-cert",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
  "autoregister-completion",
  "apiservice-openapi-controller",
  "apiservice-openapiv3-controller",
].map((name) => (name === "autoregister-completion" ? name : `poststarthook/${name}`));

const checks = {
  livez: ["ping", "log", "loopback-serving-certificate", "etcd", ...startup],
  readyz: ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...startup, "shutdown"],
  healthz: ["ping", "log", "loopback-serving-certificate", "etcd", ...startup],
} as const;

type Endpoint = keyof typeof checks;

/** How often each check came out how, of those that were made together with all others. */
export class HealthCounts {
  readonly #counts = new Map<string, number>();

  count(type: Endpoint, excluded: ReadonlySet<string>, isStopping: boolean): void {
    for (const name of checks[type]) {
      if (excluded.has(name)) continue;
      const status = isStopping && name === "shutdown" ? "error" : "success";
      const labels = labelText({ name, status, type });
      this.#counts.set(labels, (this.#counts.get(labels) ?? 0) + 1);
    }
  }

  samples(): Iterable<Sample> {
    return this.#counts;
  }
}

/** The metrics of `/metrics/slis`: the state of each health check, and the count of each state. */
export function healthMetrics(isStopping: boolean, counts: HealthCounts): string {
  const samples = Object.entries(checks).flatMap(([type, names]) =>
    names.map((name): Sample => [labelText({ name, type }), isStopping && name === "shutdown" ? 0 : 1]),
  );
  return (
    metricText(
      "kubernetes_healthcheck",
      "gauge",
      "[STABLE] This metric records the result of a single healthcheck.",
      samples,
    ) +
    metricText(
      "kubernetes_healthchecks_total",
      "counter",
      "[STABLE] This metric records the results of all healthcheck.",
      counts.samples(),
    )
  );
}

/** Answers a health path; undefined when it is none, or names no check. */
export function healthResponse(
  path: string,
  query: URLSearchParams,
  isStopping: boolean,
  counts: HealthCounts,
): TransportResponse | undefined {
  const match = /^\/(livez|readyz|healthz)(?:\/(.+))?$/.exec(path);
  const endpoint = match?.[1];
  if (endpoint !== "livez" && endpoint !== "readyz" && endpoint !== "healthz") return undefined;
  const check = match?.[2];
  const excluded = new Set(query.getAll("exclude"));
  if (check === undefined) counts.count(endpoint, excluded, isStopping);
  if (
    isStopping &&
    endpoint === "readyz" &&
    !excluded.has("shutdown") &&
    (check ?? "shutdown") === "shutdown"
  )
    return stopping(check, excluded);
  if (check !== undefined) return checks[endpoint].some((name) => name === check) ? single : undefined;
  if (!query.has("verbose")) return textResponse(200, "ok");
  const lines = checks[endpoint].map((name) => passed(name, excluded));
  return textResponse(200, `${lines.join("\n")}\n${endpoint} check passed\n`);
}

/** The answer to one check that is asked for alone. */
const single: TransportResponse = {
  status: 200,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: { kind: "bytes", bytes: Buffer.from("ok") },
};

const passed = (name: string, excluded: ReadonlySet<string>): string =>
  excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`;

/** Failures are shown in full, asked for or not. */
function stopping(check: string | undefined, excluded: ReadonlySet<string>): TransportResponse {
  if (check !== undefined) return textResponse(500, "internal server error: process is shutting down\n");
  const lines = checks.readyz.map((name) =>
    name === "shutdown" ? "[-]shutdown failed: reason withheld" : passed(name, excluded),
  );
  return textResponse(500, `${lines.join("\n")}\nreadyz check failed\n`);
}

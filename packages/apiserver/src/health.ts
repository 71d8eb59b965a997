// `/livez`, `/readyz`, `/healthz`: the checks a real server names, all of which hold once this one answers at all.
import type { TransportResponse } from "@kubewright/api";
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
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
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
].map((name) => `poststarthook/${name}`);

const checks = {
  livez: ["ping", "log", "etcd", ...startup],
  readyz: ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...startup, "shutdown"],
  healthz: ["ping", "log", "etcd", ...startup],
} as const;

/** Answers a health path; undefined when it is none, or names no check. */
export function healthResponse(path: string, query: URLSearchParams): TransportResponse | undefined {
  const match = /^\/(livez|readyz|healthz)(?:\/(.+))?$/.exec(path);
  const endpoint = match?.[1];
  if (endpoint !== "livez" && endpoint !== "readyz" && endpoint !== "healthz") return undefined;
  const check = match?.[2];
  if (check !== undefined)
    return checks[endpoint].some((name) => name === check) ? textResponse(200, "ok") : undefined;
  if (!query.has("verbose")) return textResponse(200, "ok");
  const excluded = new Set(query.getAll("exclude"));
  const lines = checks[endpoint].map((name) =>
    excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`,
  );
  return textResponse(200, `${lines.join("\n")}\n${endpoint} check passed\n`);
}

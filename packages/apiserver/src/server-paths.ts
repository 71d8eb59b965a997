// Everything that is not a resource: discovery, version, health, metrics.

import type { TransportResponse } from "@kubewright/api";
import { methodNotAllowed, noSuchPath, PageNotFound } from "@kubewright/kinds";
import { negotiate } from "@kubewright/machinery";
import { serveDiscovery } from "./discovery/serve-discovery.js";
import { checkOnlyType } from "./handlers/accepted-types.js";
import { healthMetrics, healthResponse } from "./health.js";

import { expositionType } from "./metrics/exposition.js";
import { serveOpenApi } from "./openapi/serve-openapi.js";
import type { RequestContext } from "./registry/request-context.js";
import type { PathRequestInfo } from "./request/request-info.js";
import { objectResponse } from "./request/responses.js";
import type { ServerParts } from "./server-services.js";

/** The Kubernetes version this server implements. */
const kubernetesVersion = { major: "1", minor: "36", gitVersion: "v1.36.4" } as const;

const versionDocument = {
  ...kubernetesVersion,
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitCommit: "embedded",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "kubewright",
  platform: "linux/amd64",
};

/** Paths that kube-apiserver routes by method, as those of its own group versions; all others answer any method. */
const onlyGet = [
  "/api",
  "/apis/apiregistration.k8s.io",
  "/version",
  "/.well-known/openid-configuration",
  "/openid/v1/jwks",
];

export function servePath(parts: ServerParts, context: RequestContext, info: PathRequestInfo): Answer {
  const { shutdown, metrics, openApi } = parts;
  // A slash at the end makes no difference to discovery, and another path of all others.
  const inTable = /^\/+(?:api|apis|version|\.well-known\/openid-configuration)(?:\/|$)/.test(info.path);
  const path = inTable ? withoutTrailingSlashes(info.path) : info.path;
  if (info.verb !== "get" && isOnlyGet(parts, path)) throw methodNotAllowed();
  const answer =
    documentAt(parts, context, path) ??
    healthResponse(path, context.query, shutdown.begun, metrics.health) ??
    serveOpenApi(context, openApi, path);
  if (answer) return answer;
  const [, root, group = ""] = path.split("/");
  const known = root === "api" || root === "version" || (root === "apis" && parts.registry.isNative(group));
  throw known ? noSuchPath() : new PageNotFound();
}

function isOnlyGet({ registry, discovery }: ServerParts, path: string): boolean {
  if (onlyGet.includes(path)) return true;
  const [, group = "", version = ""] = /^\/(?:api|apis\/([^/]+))\/([^/]+)$/.exec(path) ?? [];
  return registry.isNative(group) && discovery.resources(group, version) !== undefined;
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

type Answer = TransportResponse | Promise<TransportResponse>;

function documentAt(parts: ServerParts, context: RequestContext, path: string): Answer | undefined {
  if (path === "/" || path === "/index.html") return plain(context, { paths: rootPaths(parts) });
  if (path === "/version") {
    checkOnlyType(context, "application/json");
    return plain(context, versionDocument);
  }
  if (path === "/metrics") return metricsResponse(parts);
  const { shutdown, metrics, discovery } = parts;
  if (path === "/metrics/slis") return exposed(Buffer.from(healthMetrics(shutdown.begun, metrics.health)));
  return serveDiscovery(context, discovery, path);
}

function metricsResponse({ metrics, storage, fairness, aggregator }: ServerParts): TransportResponse {
  return exposed(
    Buffer.from([...metrics.pieces(storage), fairness.metrics(), aggregator.metrics()].join("")),
  );
}

const exposed = (bytes: Buffer): TransportResponse => ({
  status: 200,
  headers: { "content-type": expositionType },
  body: { kind: "bytes", bytes },
});

/** The paths that `GET /` lists. */
function rootPaths({ registry, aggregator }: ServerParts): string[] {
  const groups = new Set<string>();
  for (const { group, version } of registry.all()) {
    if (group === "") continue;
    groups.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  }
  for (const { group, version } of aggregator.remoteGroupVersions())
    groups.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  const rest = [
    "/healthz",
    "/livez",
    "/metrics",
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ];
  return ["/.well-known/openid-configuration", "/api", "/api/v1", "/apis", ...[...groups].sort(), ...rest];
}

/** Documents for people: indented JSON, whatever was asked for. */
function plain(context: RequestContext, document: unknown): TransportResponse {
  const negotiated = negotiate(undefined, { pretty: "true" });
  return objectResponse(context, 200, document, negotiated);
}

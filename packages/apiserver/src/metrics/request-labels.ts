// How the real server names kinds of requests in its metrics. What clients make up must not become a label: their number
// is bounded by what the server knows.
import type { TransportRequest } from "@kubewright/api";
import type { Registry } from "../registry/registry.js";
import type { RequestInfo, ResourceRequestInfo } from "../request/request-info.js";

export interface RequestLabels {
  readonly dryRun: string;
  readonly group: string;
  readonly resource: string;
  readonly scope: string;
  readonly subresource: string;
  readonly verb: string;
  readonly version: string;
}

const paths = new Set([
  "/healthz",
  "/livez",
  "/readyz",
  "/metrics",
  "/version",
  "/openapi/v2",
  "/openapi/v3",
]);

export function requestLabels(
  request: TransportRequest,
  info: RequestInfo,
  registry: Registry,
): RequestLabels {
  const none = { dryRun: "", group: "", resource: "", scope: "", subresource: "", version: "" };
  const verb: string = request.method;
  if (info.kind === "path") return { ...none, verb, subresource: paths.has(info.path) ? info.path : "" };
  const kind = registry.find(info.group, info.version, info.resource);
  if (!kind) return { ...none, verb };
  const { group, version, resource } = info;
  return {
    dryRun: request.query?.has("dryRun") ? "All" : "",
    group,
    version,
    resource,
    scope: scopeOf(info),
    subresource: info.subresource && kind.subresources.has(info.subresource) ? info.subresource : "",
    verb: verbOf(request, info),
  };
}

function scopeOf({ name, verb, namespace }: ResourceRequestInfo): string {
  if (name !== undefined || verb === "create") return "resource";
  return namespace === undefined ? "cluster" : "namespace";
}

/** HTTP's verbs, but for those of collections, and for applying. */
function verbOf({ method, headers }: TransportRequest, { verb }: ResourceRequestInfo): string {
  switch (verb) {
    case "list":
    case "watch":
    case "connect":
    case "deletecollection":
      return verb.toUpperCase();
    case "patch":
      return headers?.["content-type"]?.startsWith("application/apply-patch") ? "APPLY" : method;
    default:
      return method;
  }
}

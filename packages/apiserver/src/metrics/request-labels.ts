// The request labels of kube-apiserver's metrics. Text that clients make up must not become a label: the number of labels is
// bounded by the resources that the server knows.
import type { TransportRequest } from "@kubewright/api";
import type { RequestInfo, ResourceRequestInfo } from "../request/request-info.js";
import type { ServedResources } from "./served-resources.js";

export interface RequestLabels {
  readonly dryRun: string;
  readonly group: string;
  readonly resource: string;
  readonly scope: string;
  readonly subresource: string;
  readonly verb: string;
  readonly version: string;
}

/** Subresources whose answers last, whatever the verb. */
const connections = new Set(["log", "exec", "portforward", "attach", "proxy"]);

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
  registry: ServedResources,
): RequestLabels {
  const none = { dryRun: "", group: "", resource: "", scope: "", subresource: "", version: "" };
  const verb = methodOf(request);
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

/** HTTP's methods, but for reading collections, for applying and for connections. */
function verbOf(request: TransportRequest, { verb, subresource }: ResourceRequestInfo): string {
  if (subresource !== undefined && connections.has(subresource)) return "CONNECT";
  if (verb === "list" || verb === "watch") return verb.toUpperCase();
  const isApply =
    verb === "patch" && request.headers?.["content-type"]?.startsWith("application/apply-patch");
  return isApply ? "APPLY" : methodOf(request);
}

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Methods that nothing is served for are all one. */
function methodOf({ method }: TransportRequest): string {
  if (method === "HEAD") return "GET";
  return methods.has(method) ? method : "other";
}

// What a URL asks for, in the terms of the API: group, version, namespace, resource, name, subresource, verb.
import type { TransportRequest } from "@kubewright/api";
import { booleanParameter } from "./query-parameters.js";

export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "connect";

/** A request under `/api` or `/apis` that names a resource. */
export interface ResourceRequestInfo {
  readonly kind: "resource";
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly resource: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** What follows the subresource (`proxy/a/b`). */
  readonly subpath: string | undefined;
  /** Asked for by a path under `watch/`, as clients did before there was a parameter for it. */
  readonly legacyWatch: boolean;
}

/** Any other path: discovery, health, metrics, OpenAPI. */
export interface PathRequestInfo {
  readonly kind: "path";
  /** The HTTP method in lower case, which is the verb RBAC checks. */
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequestInfo | PathRequestInfo;

const verbsByMethod = {
  GET: "get",
  HEAD: "get",
  OPTIONS: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
} as const;

const connectSubresources = new Set(["exec", "attach", "portforward", "proxy"]);

/** Parses the path; never throws: what is not a resource request is a path request. */
export function parseRequestInfo(request: TransportRequest): RequestInfo {
  const segments = splitPath(request.path);
  const root = segments?.[0];
  if (segments && root === "api" && segments.length >= 3)
    return resourceInfo(request, "", segments[1] ?? "", segments.slice(2));
  if (segments && root === "apis" && segments.length >= 4)
    return resourceInfo(request, segments[1] ?? "", segments[2] ?? "", segments.slice(3));
  return { kind: "path", verb: request.method.toLowerCase(), path: request.path };
}

/** Decoded first and split then, as Go does it: an encoded slash is a slash. Undefined for what is no text. */
function splitPath(path: string): string[] | undefined {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  const inner = path.slice(1, end);
  if (!inner.includes("%")) return inner.split("/");
  try {
    return decodeURIComponent(inner).split("/");
  } catch {
    return undefined;
  }
}

/** `namespaces/x/pods/y/log` and its shorter forms; `namespaces/x` itself is the namespace object. */
function resourceInfo(
  request: TransportRequest,
  group: string,
  version: string,
  segments: readonly string[],
): ResourceRequestInfo {
  let rest = segments;
  let legacyWatch = false;
  if (rest[0] === "watch" && rest.length > 1) {
    legacyWatch = true;
    rest = rest.slice(1);
  }
  let namespace: string | undefined;
  if (rest[0] === "namespaces" && rest.length > 1) {
    namespace = rest[1];
    const own = rest.length === 2 || rest[2] === "status" || rest[2] === "finalize";
    if (!own) rest = rest.slice(2);
  }
  const [resource = "", name, subresource, ...subpath] = rest;
  return {
    kind: "resource",
    group,
    version,
    namespace,
    resource,
    name,
    subresource,
    subpath: subpath.length > 0 ? subpath.join("/") : undefined,
    legacyWatch,
    verb: verbOf(request, name, subresource, legacyWatch),
  };
}

function verbOf(
  request: TransportRequest,
  name: string | undefined,
  subresource: string | undefined,
  legacyWatch: boolean,
): Verb {
  if (legacyWatch) return "watch";
  if (subresource !== undefined && connectSubresources.has(subresource)) return "connect";
  const verb = verbsByMethod[request.method];
  if (name === undefined && verb === "delete") return "deletecollection";
  if (verb !== "get" || name !== undefined) return verb;
  return request.query && booleanParameter(request.query, "watch") ? "watch" : "list";
}

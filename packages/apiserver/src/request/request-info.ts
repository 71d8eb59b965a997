// Request info from the URL: group, version, namespace, resource, name, subresource, verb.
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
  | "connect"
  | "proxy";

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
  /** The path after the subresource (`proxy/a/b`). */
  readonly subpath: string | undefined;
  /** Asked for by a path under `watch/`, as clients did before there was a parameter for it. */
  readonly legacyWatch: boolean;
  /** Judged as what it seems to ask for, but no path begins with more than one slash. */
  readonly hasDoubleSlash: boolean;
}

/** Any other path: discovery, health, metrics, OpenAPI. */
export interface PathRequestInfo {
  readonly kind: "path";
  /** The HTTP method in lower case, which is the verb RBAC checks. */
  readonly verb: string;
  /** Decoded. */
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
  // Decoded first and split then, as Go does it: an encoded slash is a slash.
  const path = decodedPath(request.path);
  const segments = splitPath(path);
  const root = segments[0];
  const hasDoubleSlash = path.startsWith("//");
  if (root === "api" && segments.length >= 3)
    return resourceInfo(request, "", segments[1] ?? "", segments.slice(2), hasDoubleSlash);
  if (root === "apis" && segments.length >= 4)
    return resourceInfo(request, segments[1] ?? "", segments[2] ?? "", segments.slice(3), hasDoubleSlash);
  return { kind: "path", verb: request.method.toLowerCase(), path };
}

/** Why kube-apiserver does not know what a request is about; undefined where it does. */
export function requestInfoProblem({ path, query }: TransportRequest): string | undefined {
  const [root, ...rest] = splitPath(decodedPath(path));
  const after = root === "api" ? 1 : root === "apis" ? 2 : undefined;
  const [verb, ...more] = after === undefined ? [] : rest.slice(after);
  if ((verb !== "watch" && verb !== "proxy") || more.length > 0) return undefined;
  return `unable to determine kind and namespace from url, ${query?.size ? `${path}?${query}` : path}`;
}

/** Slashes at both ends do not count. */
function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === "/") start++;
  while (end > start && path[end - 1] === "/") end--;
  const segments: string[] = [];
  for (let at = start; at <= end; ) {
    const slash = path.indexOf("/", at);
    const stop = slash === -1 || slash > end ? end : slash;
    segments.push(path.slice(at, stop));
    at = stop + 1;
  }
  return segments;
}

/** What is no text once decoded is judged by what of it is: nothing must become another kind of request by being broken. */
export function decodedPath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    return Buffer.from(bytes, "latin1").toString("utf8");
  }
}

/** `namespaces/x/pods/y/log` and its shorter forms; `namespaces/x` itself is the namespace object. */
function resourceInfo(
  request: TransportRequest,
  group: string,
  version: string,
  segments: readonly string[],
  hasDoubleSlash: boolean,
): ResourceRequestInfo {
  let rest = segments;
  const former = rest.length > 1 && (rest[0] === "watch" || rest[0] === "proxy") ? rest[0] : undefined;
  if (former) rest = rest.slice(1);
  const legacyWatch = former === "watch";
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
    hasDoubleSlash,
    verb: former ?? verbOf(request, name, subresource),
  };
}

function verbOf(request: TransportRequest, name: string | undefined, subresource: string | undefined): Verb {
  if (subresource !== undefined && connectSubresources.has(subresource)) return "connect";
  const verb = verbsByMethod[request.method];
  if (name === undefined && verb === "delete") return "deletecollection";
  if (verb !== "get" || name !== undefined) return verb;
  return request.query && booleanParameter(request.query, "watch") ? "watch" : "list";
}

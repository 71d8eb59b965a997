// The attributes of a request by which faults choose the requests to fail.
import type { TransportRequest } from "@kubewright/api";
import type { Peer } from "@kubewright/apiserver";

/** Verb, resource, name and user of a request, as the authorizer of an API server sees them. */
export interface RequestAttributes {
  readonly verb: Verb;
  /** Empty for the core group, and for paths that are no resource. */
  readonly group: string;
  /** In the plural; empty for paths that are no resource. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** The user agent. */
  readonly client: string;
  /** Undefined for requests that authenticate with a token or a certificate. */
  readonly user: string | undefined;
  /** Whether a component of the cluster itself sent the request. */
  readonly isOwn: boolean;
  readonly path: string;
}

/** The verb of a request; `other` for those outside the resource API. */
export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "other";

/** Verbs that write. */
export const writeVerbs: readonly Verb[] = ["create", "update", "patch", "delete", "deletecollection"];

/** Reads the attributes of a request. */
export function attributesOf(request: TransportRequest, peer: Peer, isOwn: boolean): RequestAttributes {
  const { path, headers } = request;
  const { group, rest } = split(path);
  const namespaced =
    rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize";
  const [resource = "", name, subresource] = namespaced ? rest.slice(2) : rest;
  return {
    verb: verbOf(request, name !== undefined),
    group,
    resource,
    subresource,
    namespace: namespaced ? rest[1] : undefined,
    name,
    client: headers?.["user-agent"] ?? "",
    user: peer.user?.name,
    isOwn,
    path,
  };
}

function split(path: string): { readonly group: string; readonly rest: readonly string[] } {
  const parts = path.slice(1).split("/").map(decoded);
  if (parts[0] === "api") return { group: "", rest: parts.slice(2) };
  if (parts[0] === "apis") return { group: parts[1] ?? "", rest: parts.slice(3) };
  return { group: "", rest: [] };
}

/** A segment that is no valid escape is left as it is: the server says what is wrong with it. */
function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function isWatch({ query, method }: TransportRequest): boolean {
  const watch = query?.get("watch");
  return method === "GET" && (watch === "true" || watch === "1");
}

function verbOf(request: TransportRequest, hasName: boolean): Verb {
  switch (request.method) {
    case "GET":
    case "HEAD":
      if (isWatch(request)) return "watch";
      return hasName ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return hasName ? "delete" : "deletecollection";
    default:
      return "other";
  }
}

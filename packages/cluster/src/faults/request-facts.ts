// What a request is about, as far as choosing requests to fail needs to know.
import type { TransportRequest } from "@kubewright/api";
import type { Peer } from "@kubewright/apiserver";

/** A request in the words of the API: who asks for what. */
export interface RequestFacts {
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
  /** Undefined when a token or certificate says who it is. */
  readonly user: string | undefined;
  /** From a component of the cluster itself. */
  readonly isOwn: boolean;
  readonly path: string;
}

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

/** Verbs that change something. */
export const writeVerbs: readonly Verb[] = ["create", "update", "patch", "delete", "deletecollection"];

/** Reads the facts off a request. */
export function factsOf(request: TransportRequest, peer: Peer, isOwn: boolean): RequestFacts {
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

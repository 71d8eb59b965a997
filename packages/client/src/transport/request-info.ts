// The verb and resource of a request, read back from its path, for metrics and traces. High-cardinality parts (names) stay apart
// from those that make good labels.
import type { TransportRequest } from "@kubewright/api";

export interface RequestInfo {
  /** `get`, `list`, `watch`, `create`, …; the method in lower case for paths that serve no resource. */
  readonly verb: string;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  /** `pods`, or `pods/log`. */
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Reads a request's path and method. */
export function requestInfo(request: TransportRequest): RequestInfo {
  const parts = request.path.split("/").filter((part) => part !== "");
  const root = parts.shift();
  if ((root !== "api" && root !== "apis") || parts.length < (root === "api" ? 2 : 3)) {
    return { verb: request.method.toLowerCase() };
  }
  const group = root === "api" ? "" : decoded(parts.shift());
  const version = decoded(parts.shift());
  const namespace =
    parts[0] === "namespaces" && parts.length > 2 ? decoded(parts.splice(0, 2)[1]) : undefined;
  const [plural, name, ...rest] = parts.map(decoded);
  const resource = [plural, ...rest].join("/");
  return { verb: verbOf(request, name !== undefined), group, version, resource, namespace, name };
}

function verbOf({ method, query }: TransportRequest, named: boolean): string {
  switch (method) {
    case "GET":
      if (isTrue(query?.get("watch"))) return "watch";
      return named ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      return method.toLowerCase();
  }
}

function isTrue(value: string | null | undefined): boolean {
  return value === "true" || value === "1";
}

function decoded(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    return part ?? "";
  }
}

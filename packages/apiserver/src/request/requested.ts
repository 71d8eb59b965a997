// The attributes of a request that the URL alone does not show: the verb of a connection, the name in a field selector.
import { FieldMatcher, type TransportRequest, validatePathSegmentName } from "@kubewright/api";
import type { ResourceRequestInfo } from "./request-info.js";

const connectVerbs: Readonly<Record<TransportRequest["method"], string>> = {
  GET: "get",
  HEAD: "get",
  OPTIONS: "",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** The verb as roles name it: connections are authorized by the method that opens them, and OPTIONS is no verb. */
export function requestedVerb(info: ResourceRequestInfo, method: TransportRequest["method"]): string {
  if (method === "OPTIONS" && info.verb !== "watch" && info.verb !== "proxy") return "";
  return info.verb === "connect" ? connectVerbs[method] : info.verb;
}

/** The name of the object; that of a list or watch is the one its field selector demands. */
export function requestedName(info: ResourceRequestInfo, query: URLSearchParams | undefined): string {
  if (info.name !== undefined) return info.name;
  if (info.verb !== "list" && info.verb !== "watch") return "";
  const selector = query?.get("fieldSelector");
  return selector ? selectedName(selector) : "";
}

function selectedName(selector: string): string {
  try {
    const name = FieldMatcher.parse(selector).exactValue("metadata.name") ?? "";
    return validatePathSegmentName(name).length === 0 ? name : "";
  } catch {
    // The handler refuses it in its own words; until then the request is about all objects.
    return "";
  }
}

const upgraded = new Set(["exec", "attach", "portforward"]);

/** Whether running something in a pod is asked for with a method that only reads. */
export const opensPodByReading = (info: ResourceRequestInfo, method: TransportRequest["method"]): boolean =>
  method === "GET" && info.group === "" && info.resource === "pods" && upgraded.has(info.subresource ?? "");

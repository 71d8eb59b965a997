// The routes: the paths and methods that are served. kube-apiserver routes built-in resources by a table of paths, and refuses
// all others before it looks at the request; custom resources have a handler of their own, which is more forgiving.

import { ApiError } from "@kubewright/api";
import { badRequest, methodNotAllowed, noSuchPath, PageNotFound } from "@kubewright/kinds";

import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { ResourceRequestInfo, Verb } from "../request/request-info.js";
import { checkAccept, checkRouteAccept } from "./accepted-types.js";

/** Throws 404, 405, 406 or 415 for what is not in the table. */
export function checkRoute(context: RequestContext, kind: ResourceKind, info: ResourceRequestInfo): void {
  if (kind.custom) checkCustom(context, kind, info);
  else checkNative(context, kind, info);
}

function checkCustom(context: RequestContext, kind: ResourceKind, info: ResourceRequestInfo): void {
  if (context.request.method === "OPTIONS" && !info.legacyWatch) {
    const isAcross = kind.scope === "Namespaced" && info.namespace === undefined && info.name === undefined;
    throw isAcross ? new PageNotFound() : unsupported(kind, "");
  }
  if (info.name === undefined && (info.verb === "update" || info.verb === "patch"))
    throw badRequest("name must be provided");
  checkAccept(context);
}

function checkNative(context: RequestContext, kind: ResourceKind, info: ResourceRequestInfo): void {
  const { method } = context.request;
  const offers = offersAt(kind, info);
  const verb = info.verb === "connect" ? connectVerbs[method] : info.verb;
  if (verb !== undefined && offers(verb) && isPlain(method, info)) {
    if (info.verb !== "connect") checkRouteAccept(context, info);
    return;
  }
  if (!everyVerb.some(offers)) throw noSuchPath();
  // Proxies pass on every method, even those that are no verbs.
  if (info.subresource === "proxy" && verb === undefined) return;
  // Whether a list is to be watched is for its handler to say.
  if (verb === "watch" && method === "GET" && !info.legacyWatch && offers("list")) {
    kind.preflight?.(context, info);
    throw unsupported(kind, "watch");
  }
  throw methodNotAllowed();
}

const connectVerbs: Readonly<Record<string, Verb>> = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** No path takes methods that only ask what there would be, and the old paths of watches take no other than GET. */
const isPlain = (method: string, { legacyWatch }: ResourceRequestInfo): boolean =>
  method !== "OPTIONS" && method !== "HEAD" && (method === "GET" || !legacyWatch);

const onObjects: readonly Verb[] = ["get", "update", "patch", "delete"];
const acrossNamespaces: readonly Verb[] = ["list", "watch"];
const onCollections: readonly Verb[] = [...acrossNamespaces, "create", "deletecollection"];
const everyVerb: readonly Verb[] = [...onCollections, ...onObjects];

/** The verbs that the path serves: none when there is no such path. */
function offersAt(kind: ResourceKind, info: ResourceRequestInfo): (verb: Verb) => boolean {
  const possible = possibleAt(kind, info);
  const own =
    info.subresource === undefined ? kind.verbs : (kind.subresources.get(info.subresource)?.verbs ?? []);
  return (verb) => possible.includes(verb) && own.includes(verb);
}

function possibleAt(kind: ResourceKind, info: ResourceRequestInfo): readonly Verb[] {
  const { namespace, name, subresource, subpath, legacyWatch } = info;
  const isNamespace = kind.plural === "namespaces" && kind.group === "";
  if (kind.scope === "Cluster" && namespace !== undefined && !isNamespace) return [];
  const isOutside = kind.scope === "Namespaced" && namespace === undefined;
  // The old paths of watches are those of kinds that can be watched.
  if (name === undefined && legacyWatch) return ["watch"];
  if (name === undefined) return isOutside ? acrossNamespaces : onCollections;
  // Objects of namespaced kinds have no path outside of a namespace.
  if (isOutside) return [];
  if (subresource === undefined) return legacyWatch ? ["watch"] : onObjects;
  return legacyWatch || (subpath !== undefined && subresource !== "proxy") ? [] : everyVerb;
}

/** How handlers refuse a verb, as opposed to the table. */
const unsupported = ({ group, plural }: ResourceKind, verb: string): ApiError =>
  new ApiError(
    `${verb} is not supported on resources of kind "${group === "" ? plural : `${plural}.${group}`}"`,
    {
      code: 405,
      reason: "MethodNotAllowed",
      details: { ...(group === "" ? {} : { group }), kind: plural },
    },
  );

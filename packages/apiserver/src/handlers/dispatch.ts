// From a resource request to the handler of its verb.

import type { TransportResponse } from "@kubewright/api";
import { badRequest, methodNotAllowed, noSuchPath, PageNotFound } from "@kubewright/kinds";
import { admitConnection } from "../admission/connection.js";

import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind, Subresource } from "../registry/resource-kind.js";
import type { ResourceRequestInfo } from "../request/request-info.js";
import { objectResponse } from "../request/responses.js";
import { removeCollection, removeObject } from "./delete.js";
import { patchObject } from "./patch.js";
import { getObject, listObjects } from "./read.js";
import { negotiateFor } from "./represent.js";
import { checkRoute } from "./route.js";
import { watchObjects } from "./watch.js";
import { postObject, putObject } from "./write.js";

export async function dispatch(
  context: RequestContext,
  info: ResourceRequestInfo,
): Promise<TransportResponse> {
  if (info.hasDoubleSlash) throw new PageNotFound();
  // Paths that once led to pods and services.
  if (info.verb === "proxy") throw noSuchPath();
  const kind = context.services.registry.find(info.group, info.version, info.resource);
  if (!kind) throw context.services.registry.isNative(info.group) ? noSuchPath() : new PageNotFound();
  // Rules of custom resources come first; what warns of a built-in kind does so where there is something to ask for.
  if (kind.custom) kind.preflight?.(context, info);
  checkRoute(context, kind, info);
  if (!kind.custom) kind.preflight?.(context, info);
  if (info.subresource !== undefined) return dispatchSubresource(context, kind, info, info.subresource);
  return info.name === undefined
    ? onCollection(context, kind, info)
    : onObject(context, kind, info, info.name);
}

async function onCollection(
  context: RequestContext,
  kind: ResourceKind,
  { verb, namespace }: ResourceRequestInfo,
): Promise<TransportResponse> {
  switch (verb) {
    case "list":
      return listObjects(context, kind, namespace);
    case "watch":
      return watchObjects(context, kind, namespace);
    case "create":
      return postObject(context, kind, namespace);
    case "deletecollection":
      return removeCollection(context, kind, namespace);
    default:
      throw methodNotAllowed();
  }
}

async function onObject(
  context: RequestContext,
  kind: ResourceKind,
  info: ResourceRequestInfo,
  name: string,
): Promise<TransportResponse> {
  const namespace = kind.scope === "Cluster" ? undefined : info.namespace;
  switch (info.verb) {
    case "get":
      return getObject(context, kind, namespace, name);
    case "watch":
      return watchObjects(context, kind, namespace, name);
    case "update":
      return putObject(context, kind, namespace, name);
    case "patch":
      return patchObject(context, kind, namespace, name);
    case "delete":
      return removeObject(context, kind, namespace, name);
    case "create":
      // Only custom resources come here: their handler does not look at the name in the path.
      return postObject(context, kind, namespace);
    default:
      throw methodNotAllowed();
  }
}

async function dispatchSubresource(
  context: RequestContext,
  kind: ResourceKind,
  info: ResourceRequestInfo,
  subresourceName: string,
): Promise<TransportResponse> {
  const subresource = kind.subresources.get(subresourceName);
  if (!subresource || info.name === undefined) throw noSuchPath();
  if (subresource.respond) {
    if (info.verb === "connect" && context.query.has("dryRun")) throw badRequest("dryRun is not supported");
    if (info.verb === "get") negotiateFor(context, kind);
    await admitConnection(context, kind, info);
    return subresource.respond(context, kind);
  }
  if (subresource.handle) {
    const negotiated = negotiateFor(context, kind);
    const { status, object } = await subresource.handle(context, kind);
    return objectResponse(context, status, object, negotiated);
  }
  return onSubresource(context, kind, info, info.name, subresource);
}

function onSubresource(
  context: RequestContext,
  kind: ResourceKind,
  info: ResourceRequestInfo,
  name: string,
  subresource: Subresource,
): Promise<TransportResponse> {
  const namespace = kind.scope === "Cluster" ? undefined : info.namespace;
  switch (info.verb) {
    case "get":
      return getObject(context, kind, namespace, name, subresource.view);
    case "update":
      return putObject(context, kind, namespace, name, subresource);
    case "patch":
      return patchObject(context, kind, namespace, name, subresource);
    default:
      throw methodNotAllowed();
  }
}

// DELETE of one object and of a collection.
import type { TransportResponse } from "@kubewright/api";
import { isNotFound } from "@kubewright/api";
import { deleteObject } from "../registry/delete-object.js";
import { type DeleteOptions, deleteOptions } from "../registry/delete-options.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { readAllServed } from "../registry/served-version.js";
import type { RequestContext } from "../request/context.js";
import { unexplained } from "../request/failures.js";
import { objectResponse } from "../request/responses.js";
import { Turns } from "../request/turns.js";
import type { StoredObject } from "../storage/index.js";
import { negotiateFor, respondList, respondObject } from "./represent.js";
import { selectionOf } from "./selection.js";

export async function removeObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context);
  const options = deleteOptions(context);
  warnAboutDefault(context, kind, options);
  const { object, gone } = await deleteObject(context, kind, namespace, name, options);
  if (!gone || kind.strategy.returnsDeleted) {
    const status = !gone && options.orphanDependents === false ? 202 : 200;
    return respondObject(context, kind, object, status, negotiated);
  }
  return objectResponse(context, 200, successStatus(kind, object), negotiated);
}

function warnAboutDefault(context: RequestContext, { strategy }: ResourceKind, options: DeleteOptions): void {
  const isDefault = options.propagationPolicy === undefined && options.orphanDependents === undefined;
  if (isDefault && strategy.defaultPropagationWarning)
    context.warnings.push(strategy.defaultPropagationWarning);
}

function successStatus(kind: ResourceKind, object: StoredObject): unknown {
  const { name, uid } = object.metadata;
  const group = kind.group === "" ? {} : { group: kind.group };
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...group, kind: kind.plural, uid },
  };
}

/** Deletes what is there now, one by one; objects that vanish meanwhile are not an error. */
export async function removeCollection(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context);
  const options = deleteOptions(context);
  warnAboutDefault(context, kind, options);
  const { prefix, matches } = selectionOf(context, kind, namespace);
  const { storage } = context.services;
  const all = await readAllServed(context, kind, [...storage.list(kind.storage, { prefix })]);
  const victims = matches ? all.filter(matches) : all;
  const turns = new Turns();
  for (const { metadata } of victims) {
    if (turns.isOver) await turns.next();
    if (context.request.signal?.aborted) throw unexplained("context canceled");
    try {
      await deleteObject(context, kind, metadata.namespace, metadata.name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return respondList(context, kind, victims, { resourceVersion: String(storage.revision) }, negotiated);
}

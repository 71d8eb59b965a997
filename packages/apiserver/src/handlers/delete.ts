// DELETE of one object and of a collection.

import type { TransportResponse } from "@kubewright/api";
import { isNotFound } from "@kubewright/api";
import { type StoredObject, unknownError } from "@kubewright/kinds";

import { deleteObject } from "../registry/delete-object.js";
import { type DeleteOptions, deleteOptions } from "../registry/delete-options.js";
import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { objectResponse } from "../request/responses.js";
import { TimeSlice } from "../time-slice.js";
import { readListPage } from "./list-page.js";
import { negotiateFor, respondList, respondObject } from "./represent.js";

export async function removeObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context, kind);
  const options = deleteOptions(context);
  warnAboutDefault(context, kind, options);
  const deletion = { ...context, deleteOptions: options };
  const { object, gone } = await deleteObject(deletion, kind, namespace, name, options);
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

/** Deletes what a list would show, one by one, and shows it; objects that vanish meanwhile are not an error. */
export async function removeCollection(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context, kind);
  const { items, metadata } = await readListPage(context, kind, namespace);
  const options = deleteOptions(context);
  warnAboutDefault(context, kind, options);
  const deletion = { ...context, deleteOptions: options };
  const slice = new TimeSlice();
  for (const { metadata: victim } of items) {
    await slice.yieldIfOver();
    if (context.request.signal?.aborted) throw unknownError("context canceled");
    try {
      await deleteObject(deletion, kind, victim.namespace, victim.name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return respondList(context, kind, items, metadata, negotiated);
}

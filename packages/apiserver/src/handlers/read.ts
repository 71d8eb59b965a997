// GET of one object and of a list.

import type { TransportResponse } from "@kubewright/api";
import { notFound, unknownError } from "@kubewright/kinds";

import { requestedKey } from "../registry/object-key.js";
import type { RequestContext } from "../registry/request-context.js";
import { type ResourceKind, subjectOf, type View } from "../registry/resource-kind.js";
import { notARevision, parseRevision } from "../registry/revision.js";
import { readServed } from "../registry/served-version.js";
import { tooLargeRevision } from "./list-options.js";
import { readListPage } from "./list-page.js";
import { negotiateFor, respondAs, respondList } from "./represent.js";
import { selectionOf } from "./selection.js";

export async function getObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  view?: View,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context, kind);
  if (kind.observed) return respondAs(context, kind, view, kind.observed.get(context, name), 200, negotiated);
  const { storage } = context.services;
  const key = requestedKey(kind, namespace, name);
  checkVersion(context.query.get("resourceVersion"), storage.revision);
  const stored = storage.get(kind.storage, key);
  if (!stored) throw notFound(subjectOf(kind, name));
  return respondAs(context, kind, view, await readServed(context, kind, stored), 200, negotiated);
}

/** The store is never older than the requested version, unless that version does not exist yet. Throws 500 or 504. */
function checkVersion(version: string | null, current: number): void {
  if (!version) return;
  const revision = parseRevision(version);
  if (revision === undefined) throw unknownError(notARevision(version));
  if (revision > current) throw tooLargeRevision(version, current);
}

export async function listObjects(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context, kind, "list");
  if (kind.observed) {
    const { matches = () => true } = selectionOf(context, kind, namespace);
    return respondList(context, kind, kind.observed.list(context).filter(matches), {}, negotiated);
  }
  const { items, metadata } = await readListPage(context, kind, namespace);
  return respondList(context, kind, items, metadata, negotiated);
}

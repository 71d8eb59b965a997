// GET of one object and of a list, with consistent paging.
import { ApiError, type JsonObject, type TransportResponse } from "@kubewright/api";
import { requestedKey } from "../registry/object-key.js";
import { keyOf, type ResourceKind, subjectOf, type View } from "../registry/resource-kind.js";
import { notARevision, parseRevision } from "../registry/revision.js";
import { readAllServed, readServed } from "../registry/served-version.js";
import type { RequestContext } from "../request/context.js";
import { expired, notFound, unexplained } from "../request/failures.js";
import { inSlices } from "../request/turns.js";
import { CompactedError, type StoredObject } from "../storage/index.js";
import { encodeContinue } from "./continue-token.js";
import { type ListOptions, listOptions } from "./list-options.js";
import { negotiateFor, respondAs, respondList } from "./represent.js";
import { type Selection, selectionOf } from "./selection.js";

export async function getObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  view?: View,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context);
  const version = context.query.get("resourceVersion");
  if (version && parseRevision(version) === undefined) throw unexplained(notARevision(version));
  const stored = context.services.storage.get(kind.storage, requestedKey(kind, namespace, name));
  if (!stored) throw notFound(subjectOf(kind, name));
  return respondAs(context, kind, view, await readServed(context, kind, stored), 200, negotiated);
}

export async function listObjects(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context);
  const { storage } = context.services;
  const options = listOptions(context.query, storage.revision);
  const selection = selectionOf(context, kind, namespace);
  const revision = options.revision ?? storage.revision;
  const page = await readServedPage(context, kind, selection, options, revision);
  const metadata: Record<string, string | number> = { resourceVersion: String(revision) };
  // Custom lists are printed by other code in the real server, which does not leave the empty token out.
  if (kind.custom) metadata["continue"] = "";
  if (page.last !== undefined) {
    metadata["continue"] = encodeContinue({ revision, after: page.last });
    if (page.remaining !== undefined) metadata["remainingItemCount"] = page.remaining;
  }
  return respondList(context, kind, page.items, metadata as JsonObject, negotiated);
}

interface Page {
  readonly items: readonly StoredObject[];
  /** The key of the last item when there are more. */
  readonly last: string | undefined;
  readonly remaining: number | undefined;
}

/** Selections are about what clients see; where that must be found out first, it is, for all there is. */
async function readServedPage(
  context: RequestContext,
  kind: ResourceKind,
  selection: Selection,
  options: ListOptions,
  revision: number,
): Promise<Page> {
  const { matches } = selection;
  if (!kind.conversion || !matches) {
    const page = readPage(context, kind, selection, options, revision);
    return { ...page, items: await readInSlices(context, kind, page.items) };
  }
  const everything = { ...selection, matches: undefined };
  const all = readPage(context, kind, everything, { ...options, limit: 0 }, revision).items;
  const served = await readInSlices(context, kind, all);
  return pageOf(kind, served.filter(matches), options.limit);
}

/** As many objects as a conversion webhook is sent at once. */
const conversionSlice = 500;

/** Bringing objects up to date takes time, once. */
async function readInSlices(
  context: RequestContext,
  kind: ResourceKind,
  objects: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  if (!kind.conversion) return objects;
  return inSlices(objects, conversionSlice, (slice) => readAllServed(context, kind, slice));
}

function pageOf(kind: ResourceKind, matching: readonly StoredObject[], limit: number): Page {
  const more = limit > 0 && matching.length > limit;
  const items = more ? matching.slice(0, limit) : matching;
  const last = items.at(-1);
  return {
    items,
    last: more && last ? keyOf(kind, last.metadata.namespace, last.metadata.name) : undefined,
    remaining: undefined,
  };
}

function readPage(
  context: RequestContext,
  kind: ResourceKind,
  selection: Selection,
  options: ListOptions,
  revision: number,
): Page {
  const { storage } = context.services;
  const items: StoredObject[] = [];
  const { limit } = options;
  let remaining = 0;
  let more = false;
  try {
    for (const object of storage.list(kind.storage, {
      prefix: selection.prefix,
      after: options.after,
      revision,
    })) {
      if (selection.matches && !selection.matches(object)) continue;
      if (limit === 0 || items.length < limit) items.push(object);
      else {
        more = true;
        remaining++;
        if (selection.matches) break;
      }
    }
  } catch (error) {
    if (error instanceof CompactedError) throw tooOld(options, storage.revision);
    throw error;
  }
  const last = items.at(-1);
  return {
    items,
    last: more && last ? keyOf(kind, last.metadata.namespace, last.metadata.name) : undefined,
    remaining: selection.matches ? undefined : remaining,
  };
}

/** 410; while paging it carries a token that goes on with what is there now. */
function tooOld(options: ListOptions, revision: number): ApiError {
  if (options.after === undefined) return expired("The resourceVersion for the provided list is too old.");
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  return new ApiError(message, {
    code: 410,
    reason: "Expired",
    details: { continue: encodeContinue({ revision: -1, after: options.after }) } as never,
    cause: revision,
  });
}

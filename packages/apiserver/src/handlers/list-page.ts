// One page of a collection: the objects, and where the next page begins. List requests return it; DELETE of a
// collection deletes its objects.

import type { JsonObject } from "@kubewright/api";
import { continueExpired, expired, type StoredObject } from "@kubewright/kinds";

import type { RequestContext } from "../registry/request-context.js";
import { keyOf, type ResourceKind } from "../registry/resource-kind.js";
import { readAllServed } from "../registry/served-version.js";
import { CompactedError } from "../storage/index.js";
import { TimeSlice, yieldToEventLoop } from "../time-slice.js";
import { encodeContinue } from "./continue-token.js";
import { checkListOptions, type ListRange, rangeOf, readListOptions } from "./list-options.js";
import { parseSelectors, type Selection, selectionBy } from "./selection.js";

export interface ListPage {
  readonly items: readonly StoredObject[];
  readonly metadata: JsonObject;
}

/** Reads what the query of the request asks for. Throws what is wrong with it, in the order kube-apiserver looks. */
export async function readListPage(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
): Promise<ListPage> {
  const options = readListOptions(context.query);
  const selectors = parseSelectors(context.query);
  checkListOptions(options);
  const selection = selectionBy(selectors, kind, namespace);
  const { storage } = context.services;
  await yieldBefore(context, kind, selection);
  const range = rangeOf(options, selection.prefix, storage.revision);
  const revision = range.revision ?? storage.revision;
  const cut = await readCut(context, kind, selection, { ...range, revision });
  context.services.metrics.lists.listed(kind, cut.fetched, cut.items.length);
  return { items: cut.items, metadata: metadataOf(kind, selection.prefix, revision, cut) };
}

/** Objects that are looked at in well below a millisecond. */
const quickly = 500;

/**
 * Lets other requests go first where many objects have to be looked at, however many such lists there are. Programs in this process are not
 * queued.
 */
async function yieldBefore(
  { services: { storage }, inProcess }: RequestContext,
  kind: ResourceKind,
  { prefix, key }: Selection,
): Promise<void> {
  if (inProcess || key !== undefined || storage.count(kind.storage, { prefix }) <= quickly) return;
  await yieldToEventLoop();
}

/** A part of a collection. */
interface Cut {
  readonly items: readonly StoredObject[];
  /** The key of the last item when there are more. */
  readonly last: string | undefined;
  /** How many are left; known only where all are wanted. */
  readonly remaining: number | undefined;
  /** How many were looked at. */
  readonly fetched: number;
}

function metadataOf(
  kind: ResourceKind,
  prefix: string,
  revision: number,
  { last, remaining }: Cut,
): JsonObject {
  const resourceVersion = String(revision);
  // Custom lists are printed by other code in kube-apiserver, which does not leave the empty token out.
  if (last === undefined) return { resourceVersion, ...(kind.custom ? { continue: "" } : {}) };
  return {
    resourceVersion,
    continue: encodeContinue({ revision, after: last }, prefix),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

/** Selections are about what clients see; where that must be found out first, it is, for all there is. */
async function readCut(
  context: RequestContext,
  kind: ResourceKind,
  selection: Selection,
  range: ListRange,
): Promise<Cut> {
  const candidates = candidatesOf(context, kind, selection, range);
  if (kind.conversion && selection.matches)
    return cutOf(await readInSlices(context, kind, [...candidates]), kind, selection, range.limit);
  const cut = withRemaining(context, kind, selection, range, cutOf(candidates, kind, selection, range.limit));
  return kind.conversion ? { ...cut, items: await readInSlices(context, kind, cut.items) } : cut;
}

/** Counts what follows a page, unless a selector decides which of it is wanted. */
function withRemaining(
  { services: { storage } }: RequestContext,
  kind: ResourceKind,
  { prefix, matches }: Selection,
  { revision }: ListRange,
  cut: Cut,
): Cut {
  if (cut.last === undefined || matches) return cut;
  return { ...cut, remaining: storage.count(kind.storage, { prefix, after: cut.last, revision }) };
}

/** As many objects as a conversion webhook is sent at once. */
const conversionSlice = 500;

/** Converts a list batch by batch; yields to the event loop in between. */
async function readInSlices(
  context: RequestContext,
  kind: ResourceKind,
  objects: readonly StoredObject[],
): Promise<readonly StoredObject[]> {
  if (objects.length <= conversionSlice) return readAllServed(context, kind, objects);
  const timeSlice = new TimeSlice();
  const served: StoredObject[] = [];
  for (let start = 0; start < objects.length; start += conversionSlice) {
    const batch = await readAllServed(context, kind, objects.slice(start, start + conversionSlice));
    for (const object of batch) served.push(object);
    await timeSlice.yieldIfOver();
  }
  return served;
}

function* candidatesOf(
  { services: { storage } }: RequestContext,
  kind: ResourceKind,
  { prefix, key }: Selection,
  { revision, after }: ListRange,
): Iterable<StoredObject> {
  try {
    for (const object of storage.list(kind.storage, { prefix: key ?? prefix, after, revision }))
      if (key === undefined || keyOf(kind, object.metadata.namespace, object.metadata.name) === key)
        yield object;
  } catch (error) {
    if (error instanceof CompactedError) throw tooOld(after, prefix);
    throw error;
  }
}

/** There is more as soon as anything follows a full page, wanted or not. */
function cutOf(
  candidates: Iterable<StoredObject>,
  kind: ResourceKind,
  { matches }: Selection,
  limit: number,
): Cut {
  const items: StoredObject[] = [];
  let fetched = 0;
  let last: StoredObject | undefined;
  for (const object of candidates) {
    fetched++;
    if (limit > 0 && items.length >= limit) {
      last = items.at(-1);
      break;
    }
    if (!matches || matches(object)) items.push(object);
  }
  return {
    items,
    last: last && keyOf(kind, last.metadata.namespace, last.metadata.name),
    remaining: undefined,
    fetched,
  };
}

/** 410; while paging it carries a token that goes on with what is there now. */
function tooOld(after: string | undefined, prefix: string) {
  return after === undefined
    ? expired("The resourceVersion for the provided list is too old.")
    : continueExpired(encodeContinue({ revision: -1, after }, prefix));
}

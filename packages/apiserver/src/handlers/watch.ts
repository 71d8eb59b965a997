// Watches: changes of a resource as a stream of events, seen through a selection.

import {
  ApiError,
  apiVersionOf,
  roundIntegers,
  type TransportResponse,
  type WatchEvent,
} from "@kubewright/api";
import { expired, type StoredObject } from "@kubewright/kinds";
import { normalizeBuiltIn } from "@kubewright/machinery";

import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { readAllServed } from "../registry/served-version.js";
import { integerParameter } from "../registry/write-options.js";
import { statusOf, warningHeaders } from "../request/responses.js";
import { type Change, CompactedError } from "../storage/index.js";
import { EventStream, type Pending } from "../watches/event-stream.js";
import { WatchLifetime } from "../watches/watch-lifetime.js";
import { tooLargeRevision } from "./list-options.js";
import { negotiateFor, watchedForm } from "./represent.js";
import { type Selection, selectionOf } from "./selection.js";
import { seenChange, servedChange } from "./watch-change.js";
import { type WatchOptions, watchOptions } from "./watch-options.js";

export function watchObjects(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name?: string,
): TransportResponse {
  const { storage } = context.services;
  const options = watchOptions(context.query, storage.revision);
  integerParameter(context.query, "limit");
  const timeoutSeconds = integerParameter(context.query, "timeoutSeconds") ?? 0;
  const selection = selectionOf(context, kind, namespace, name);
  const negotiated = negotiateFor(context, kind, "watch");
  const form = watchedForm(context, kind, negotiated);
  const show = (object: StoredObject): unknown =>
    context.inProcess && storage.hasBigIntegers ? roundIntegers(form(object)) : form(object);
  const watch: Watch = { context, kind, selection, options, show };
  const { metrics } = context.services;
  const stream = new EventStream({ signal: context.request.signal, count: metrics.watchEvents.of(kind) });
  if (timeoutSeconds < 0) endAtOnce(stream, negotiated.as !== undefined);
  else {
    start(watch, stream);
    limit(watch, stream, timeoutSeconds);
  }
  return {
    status: 200,
    headers: { ...warningHeaders(context.warnings), "content-type": negotiated.contentType },
    body: { kind: "events", events: stream },
  };
}

/** The shared context of a watch. */
interface Watch {
  readonly context: RequestContext;
  readonly kind: ResourceKind;
  readonly selection: Selection;
  readonly options: WatchOptions;
  /** An object in the form the client asked for. */
  readonly show: (object: StoredObject) => unknown;
}

/** Fills the stream with what is there, or was missed, and all that comes. */
function start(watch: Watch, stream: EventStream): void {
  const { options } = watch;
  const { storage } = watch.context.services;
  const { revision } = storage;
  if (options.sendInitialEvents && options.revision > revision) {
    fail(stream, tooLargeRevision(options.revision, revision));
    return;
  }
  const from = options.sendInitialEvents ? revision : options.revision;
  try {
    const missed = follow(watch, stream, from);
    if (options.sendInitialEvents) {
      const objects = [...storage.list(watch.kind.storage, { prefix: watch.selection.prefix })];
      stream.begin(initialEvents(watch, objects, revision));
    } else stream.begin(missedEvents(watch, missed));
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    fail(stream, expired(`too old resource version: ${from} (${error.oldest})`));
  }
}

function fail(stream: EventStream, failure: ApiError): void {
  stream.begin([{ type: "ERROR", object: statusOf(new ApiError(failure.message, failure)) }]);
  stream.end();
}

/** The time of a watch may be over before it begins. Clients that asked for another form than the object's own are not told. */
function endAtOnce(stream: EventStream, isSilent: boolean): void {
  const isOver = new ApiError("context deadline exceeded", { code: 500, reason: "InternalError" });
  if (!isSilent) fail(stream, isOver);
  else {
    stream.begin([]);
    stream.end();
  }
}

/** Subscribes the stream to changes after a revision, and returns those that happened already. */
function follow(watch: Watch, stream: EventStream, from: number): readonly Change[] {
  const { kind, selection, context } = watch;
  const missed: Change[] = [];
  let live = false;
  const onChange = (change: Change): void => {
    // A client may know of versions that are still to come.
    if (change.revision <= from || !change.key.startsWith(selection.prefix)) return;
    if (!live) missed.push(change);
    else {
      const pending = eventOf(watch, change);
      if (pending) stream.push(pending, change.size);
    }
  };
  const unsubscribe = context.services.storage.subscribe(kind.storage, from, onChange, "flushed");
  live = true;
  stream.onEnd(unsubscribe);
  return missed;
}

function eventOf(watch: Watch, change: Change): Pending | undefined {
  const { context, kind, selection } = watch;
  const shown = (served: Change): WatchEvent<unknown> | undefined => {
    const event = seenChange(served, selection);
    return event && { type: event.type, object: watch.show(event.object) };
  };
  const served = servedChange(context, kind, selection, change);
  if (!(served instanceof Promise)) return shown(served);
  return served.then((later) => {
    const event = shown(later);
    return event ? [event] : [];
  });
}

function* missedEvents(watch: Watch, changes: readonly Change[]): Iterable<Pending> {
  for (const change of changes) {
    const event = eventOf(watch, change);
    if (event) yield event;
  }
}

/** As many objects as are converted in one go. */
const conversionBatch = 500;

/** All of them, and a bookmark where the client wants to know that this was all. */
function* initialEvents(watch: Watch, objects: readonly StoredObject[], revision: number): Iterable<Pending> {
  const { context, kind, selection, options } = watch;
  const added = (object: StoredObject): WatchEvent<unknown> => ({
    type: "ADDED",
    object: watch.show(object),
  });
  const matching = (served: readonly StoredObject[]): readonly StoredObject[] =>
    selection.matches ? served.filter(selection.matches) : served;
  for (let index = 0; index < objects.length; index += conversionBatch) {
    const served = readAllServed(context, kind, objects.slice(index, index + conversionBatch));
    if (served instanceof Promise) yield served.then((all) => matching(all).map(added));
    else for (const object of matching(served)) yield added(object);
  }
  if (options.initialBookmark) yield bookmark(watch, revision, true);
}

/** An object with nothing but a version: of a built-in kind the zero value, as Go prints it. */
function bookmark({ kind, show }: Watch, revision: number, initialEnd: boolean): WatchEvent<unknown> {
  const metadata: object = {
    resourceVersion: String(revision),
    ...(initialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const object = { ...zeroOf(kind), kind: kind.kind, apiVersion: apiVersionOf(kind), metadata };
  return { type: "BOOKMARK", object: show(object as StoredObject) };
}

function zeroOf({ custom, typeInfo }: ResourceKind): object {
  const zero = {};
  if (!custom) normalizeBuiltIn(zero, typeInfo);
  return zero;
}

const bookmarkSize = 200;

/** Bookmarks while it lasts, and an end. */
function limit(watch: Watch, stream: EventStream, timeoutSeconds: number): void {
  const { storage, clock, random, openWatches, metrics } = watch.context.services;
  const lifetime = new WatchLifetime({
    now: clock.monotonic(),
    timeoutSeconds,
    random,
    bookmark: watch.options.bookmarks
      ? () => stream.push(bookmark(watch, storage.flushedRevision, false), bookmarkSize)
      : undefined,
    close: () => stream.end(),
  });
  stream.onEnd(openWatches.add(lifetime));
  stream.onEnd(metrics.opened(watch.context.request, watch.context.info));
  stream.onEnd(() => {
    if (stream.overflowed) metrics.terminated(watch.kind.group, watch.kind.plural);
  });
  const forget = watch.kind.onNoLongerServed?.(() => stream.end());
  if (forget) stream.onEnd(forget);
}

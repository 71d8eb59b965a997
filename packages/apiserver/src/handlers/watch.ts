// Watches: changes of a resource as a stream of events, seen through a selection.
import { ApiError, apiVersionOf, type TransportResponse, type WatchEvent } from "@kubewright/api";
import type { Negotiated } from "../codec/index.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { integerParameter } from "../registry/write-options.js";
import type { RequestContext } from "../request/context.js";
import { expired } from "../request/failures.js";
import { statusOf, warningHeaders } from "../request/responses.js";
import { type Change, CompactedError, type StoredObject } from "../storage/index.js";
import { EventStream } from "./event-stream.js";
import { negotiateFor, representObject } from "./represent.js";
import { type Selection, selectionOf } from "./selection.js";
import { seenChange, servedChange } from "./watch-change.js";
import { watchOptions } from "./watch-options.js";

/** How often a quiet watch tells its client where it stands. */
const bookmarkInterval = 60_000;
const defaultTimeout = 30 * 60_000;

export function watchObjects(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name?: string,
): TransportResponse {
  const negotiated = negotiateFor(context, true);
  const { storage, clock } = context.services;
  const options = watchOptions(context.query, storage.revision);
  const selection = selectionOf(context, kind, namespace, name);
  const stream = new EventStream({ limit: 10_000, signal: context.request.signal });
  const show = representer(context, kind, negotiated);
  const send = (change: Change | Promise<Change>): void => {
    const eventOf = (served: Change): WatchEvent<unknown> | undefined => {
      const event = seenChange(served, selection);
      return event && { type: event.type, object: show(event.object) };
    };
    if (change instanceof Promise) stream.pushLater(change.then(eventOf));
    else {
      const event = eventOf(change);
      if (event) stream.push(event);
    }
  };
  const bookmark = (initialEnd: boolean): void =>
    stream.push({ type: "BOOKMARK", object: show(bookmarkObject(kind, storage.revision, initialEnd)) });

  const from = options.sendInitialEvents ? storage.revision : options.revision;
  if (options.sendInitialEvents) {
    for (const object of storage.list(kind.storage, { prefix: selection.prefix })) {
      const added = { type: "put", revision: from, key: "", object, previous: undefined } as const;
      send(servedChange(context, kind, selection, added));
    }
    if (options.initialBookmark) bookmark(true);
  }
  subscribe(context, kind, selection, from, stream, send);
  const forget = kind.onWithdrawn?.(() => stream.end());
  if (forget) stream.onEnd(forget);
  const timers = [
    clock.setTimer((integerParameter(context.query, "timeoutSeconds") ?? 0) * 1000 || defaultTimeout, () =>
      stream.end(),
    ),
    ...(options.bookmarks ? [repeat(context, () => bookmark(false))] : []),
  ];
  stream.onEnd(() => {
    for (const timer of timers) timer.cancel();
  });
  return {
    status: 200,
    headers: { ...warningHeaders(context.warnings), "content-type": negotiated.contentType },
    body: { kind: "events", events: stream },
  };
}

/** Shows objects as negotiated; the columns of a table are described once. */
function representer(context: RequestContext, kind: ResourceKind, negotiated: Negotiated) {
  let described = false;
  return (object: StoredObject): unknown => {
    const shown = representObject(context, kind, object, negotiated, described);
    described = true;
    return shown;
  };
}

function repeat(context: RequestContext, callback: () => void) {
  const { clock } = context.services;
  let timer = clock.setTimer(bookmarkInterval, tick);
  function tick(): void {
    callback();
    timer = clock.setTimer(bookmarkInterval, tick);
  }
  return { cancel: () => timer.cancel() };
}

function subscribe(
  context: RequestContext,
  kind: ResourceKind,
  selection: Selection,
  revision: number,
  stream: EventStream,
  send: (change: Change | Promise<Change>) => void,
): void {
  const { storage } = context.services;
  try {
    const unsubscribe = storage.subscribe(kind.storage, revision, (change) => {
      if (change.key.startsWith(selection.prefix)) send(servedChange(context, kind, selection, change));
    });
    stream.onEnd(unsubscribe);
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    const failure = expired(`too old resource version: ${revision} (${error.oldest})`);
    stream.push({ type: "ERROR", object: statusOf(new ApiError(failure.message, failure)) });
    stream.end();
  }
}

/** An object with nothing but a version. */
function bookmarkObject(kind: ResourceKind, revision: number, initialEnd: boolean): StoredObject {
  const metadata: object = {
    resourceVersion: String(revision),
    ...(initialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: metadata as StoredObject["metadata"] };
}

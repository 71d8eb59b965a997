// Turns a change in the store into the event of one watch: in its version, and through its selection.

import type { WatchEvent } from "@kubewright/api";
import type { StoredObject } from "@kubewright/kinds";

import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import { readAllServed } from "../registry/served-version.js";
import type { Change } from "../storage/index.js";
import type { Selection } from "./selection.js";

/** The change in the version the watch asked for. */
export function servedChange(
  context: RequestContext,
  kind: ResourceKind,
  { matches }: Selection,
  change: Change,
): Change | Promise<Change> {
  if (!kind.conversion) return change;
  const { previous } = change;
  // A deletion shows what was there before; and only a selection asks what it looked like.
  const after = change.type === "delete" && previous ? previous : change.object;
  const served = readAllServed(context, kind, matches && previous ? [after, previous] : [after]);
  const withServed = ([object = after, before = previous]: readonly StoredObject[]): Change => ({
    ...change,
    object: after === change.object ? object : atVersion(object, change.object),
    previous: before,
  });
  return served instanceof Promise ? served.then(withServed) : withServed(served);
}

/** The event a watch sends for a change; undefined when it cannot see any. */
export function seenChange(change: Change, { matches }: Selection): WatchEvent<StoredObject> | undefined {
  const { type, object, previous } = change;
  const before = previous !== undefined && (!matches || matches(previous));
  const after = type === "put" && (!matches || matches(object));
  // An object that starts or stops matching is added or deleted as far as the watch can see.
  if (after) return { type: before ? "MODIFIED" : "ADDED", object };
  if (!before) return undefined;
  // An object that leaves a selection is sent as it was when it last matched, at the version of the change.
  return { type: "DELETED", object: type === "put" ? atVersion(previous, object) : object };
}

function atVersion(object: StoredObject, { metadata }: StoredObject): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion } };
}

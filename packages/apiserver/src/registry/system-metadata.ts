// The metadata a client cannot choose: filled in when an object is created, carried over when it is changed.

import { flatText, formatTime } from "@kubewright/api";
import { badRequest, conflict, type DraftObject, type StoredObject } from "@kubewright/kinds";

import type { RequestContext } from "./request-context.js";
import { type ResourceKind, subjectOf } from "./resource-kind.js";

/** The namespace in the body must be that of the path, or absent; cluster-scoped objects lose theirs. */
export function matchNamespace(
  object: DraftObject,
  kind: Pick<ResourceKind, "scope">,
  namespace: string | undefined,
): void {
  const { metadata } = object;
  const expected = kind.scope === "Cluster" ? "" : (namespace ?? "");
  const found = metadata.namespace ?? "";
  if (found !== "" && expected !== "" && found !== expected)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (expected === "") delete metadata.namespace;
  else metadata.namespace = expected;
}

/** Clears system metadata that a client sent with a new object. */
export function wipeForCreate({ metadata }: DraftObject): void {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Identity and birth of a new object. */
export function fillForCreate({ metadata }: DraftObject, { services }: RequestContext): void {
  metadata.creationTimestamp = formatTime(services.clock.now());
  metadata.uid = flatText(services.newUid());
}

/** Copies the metadata that an update cannot change from the stored object. */
export function carryOver(object: DraftObject, old: StoredObject): void {
  const { metadata } = object;
  metadata.uid ||= old.metadata.uid;
  metadata.creationTimestamp = old.metadata.creationTimestamp;
  setOrDelete(metadata, "generation", old.metadata.generation);
  if (old.metadata.deletionTimestamp) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= old.metadata.deletionGracePeriodSeconds;
  if (metadata.deletionGracePeriodSeconds === undefined) delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

function setOrDelete<T extends object, Key extends keyof T>(
  target: T,
  key: Key,
  value: T[Key] | undefined,
): void {
  if (value === undefined) delete target[key];
  else target[key] = value;
}

/** A uid in the body of a PUT pins the object it was meant for. */
export function checkUid(
  { metadata: { uid } }: DraftObject,
  found: { readonly name: string; readonly namespace?: string | undefined; readonly uid?: string },
  kind: ResourceKind,
): void {
  if (!uid || uid === found.uid) return;
  const { name, namespace } = found;
  const table = kind.custom ? `${kind.group}/${kind.plural}` : kind.plural;
  const key = `/registry/${table}/${namespace ? `${namespace}/` : ""}${name}`;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found.uid ?? ""}`;
  const text = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict(subjectOf(kind, name), text);
}

/** A PUT or the outcome of a PATCH must be about the object the URL names. */
export function matchName({ metadata }: DraftObject, name: string): void {
  if (!metadata.name)
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
}

// The metadata a client cannot choose: filled in when an object is created, carried over when it is changed.
import { formatTime } from "@kubewright/api";
import type { RequestContext } from "../request/context.js";
import type { DraftObject } from "../request/draft.js";
import { badRequest, conflict } from "../request/failures.js";
import type { StoredObject } from "../storage/index.js";
import { type ResourceKind, subjectOf } from "./resource-kind.js";

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedName = 63;

/** The prefix, cut where needed, and five random characters that spell no words. */
export function generateName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, maxGeneratedName - suffixLength);
  for (let index = 0; index < suffixLength; index++) {
    name += suffixLetters[Math.floor(random() * suffixLetters.length)] ?? "";
  }
  return name;
}

/** The namespace in the body must be that of the URL, or absent. */
export function matchNamespace(object: DraftObject, kind: ResourceKind, namespace: string | undefined): void {
  const { metadata } = object;
  if (kind.scope === "Cluster") {
    if (metadata.namespace) throw badRequest("namespace may not be set on cluster-scoped objects");
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.namespace = namespace;
}

/** Identity and birth of a new object. */
export function fillForCreate(object: DraftObject, context: RequestContext): void {
  const { metadata } = object;
  const { services } = context;
  metadata.creationTimestamp = formatTime(services.clock.now());
  metadata.uid = services.newUid();
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.resourceVersion;
}

/** What an update keeps from before, whatever the client sent. */
export function carryOver(object: DraftObject, old: StoredObject): void {
  const { metadata } = object;
  metadata.uid ||= old.metadata.uid;
  metadata.creationTimestamp = old.metadata.creationTimestamp;
  metadata.generation = old.metadata.generation;
  setOrDelete(metadata, "deletionTimestamp", metadata.deletionTimestamp ?? old.metadata.deletionTimestamp);
  setOrDelete(
    metadata,
    "deletionGracePeriodSeconds",
    metadata.deletionGracePeriodSeconds ?? old.metadata.deletionGracePeriodSeconds,
  );
  delete metadata.selfLink;
  if (metadata.generation === undefined) delete metadata.generation;
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
export function checkUid(object: DraftObject, old: StoredObject, kind: ResourceKind): void {
  const { uid } = object.metadata;
  if (!uid || uid === old.metadata.uid) return;
  const { name, namespace } = old.metadata;
  const table = kind.custom ? `${kind.group}/${kind.plural}` : kind.plural;
  const key = `/registry/${table}/${namespace ? `${namespace}/` : ""}${name}`;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
  const text = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict(subjectOf(kind, name), text);
}

/** A PUT or the outcome of a PATCH must be about the object the URL names. */
export function matchName(object: DraftObject, name: string): void {
  const inBody = object.metadata.name;
  if (inBody && inBody !== name) {
    throw badRequest(`the name of the object (${inBody}) does not match the name on the URL (${name})`);
  }
  object.metadata.name = name;
}

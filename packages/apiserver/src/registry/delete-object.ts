// The end of an object: at once, after a grace period, or when its last finalizer is gone.
import { formatTime } from "@kubewright/api";
import type { RequestContext } from "../request/context.js";
import { cloneJson, type DraftObject, unstored } from "../request/draft.js";
import { conflict, modifiedMeanwhile, notFound } from "../request/failures.js";
import { RevisionConflict, type StoredObject } from "../storage/index.js";
import type { DeleteOptions } from "./delete-options.js";
import { requestedKey } from "./object-key.js";
import { type ResourceKind, subjectOf } from "./resource-kind.js";
import { readServed, toStored } from "./served-version.js";

export interface DeleteResult {
  readonly object: StoredObject;
  /** False while it waits for finalizers or its grace period. */
  readonly gone: boolean;
}

const attempts = 5;

export async function deleteObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  options: DeleteOptions,
): Promise<DeleteResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryDelete(context, kind, namespace, name, options);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      if (attempt >= attempts) throw modifiedMeanwhile(subjectOf(kind, name));
    }
  }
}

async function tryDelete(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const { storage, admission } = context.services;
  const key = requestedKey(kind, namespace, name);
  const stored = storage.get(kind.storage, key);
  if (!stored) throw notFound(subjectOf(kind, name));
  const current = await readServed(context, kind, stored);
  checkPreconditions(kind, current, options);
  const request = {
    operation: "DELETE" as const,
    kind,
    subresource: undefined,
    name: requestedName(context, name),
    namespace,
    object: undefined,
    oldObject: current,
    dryRun: options.dryRun,
    context,
  };
  await admission.mutate(request);
  await admission.validate(request);
  return finish(context, kind, key, { stored, current }, options);
}

/** Who deletes a whole collection names none of its objects. */
const requestedName = ({ info }: RequestContext, name: string): string =>
  info.kind === "resource" && info.verb === "deletecollection" ? "" : name;

function checkPreconditions(
  kind: ResourceKind,
  object: StoredObject,
  { preconditions }: DeleteOptions,
): void {
  const { name, uid, resourceVersion } = object.metadata;
  const fail = (what: string, wanted: string, found: string): never => {
    const guess = what === "UID" ? "deleted and then recreated" : "modified";
    const text = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${guess}`;
    throw conflict({ group: kind.group, resource: kind.kind, name }, text);
  };
  if (preconditions.uid !== undefined && preconditions.uid !== uid) fail("UID", preconditions.uid, uid);
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    fail("ResourceVersion", preconditions.resourceVersion, resourceVersion);
  }
}

/** The object at rest, and as the request sees it. */
interface Subject {
  readonly stored: StoredObject;
  readonly current: StoredObject;
}

async function finish(
  context: RequestContext,
  kind: ResourceKind,
  key: string,
  { stored, current }: Subject,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const { storage } = context.services;
  const expected = { revision: stored.metadata.resourceVersion };
  const grace = graceOf(kind, stored, options);
  const finalizers = finalizersFor(kind, stored, options);
  if (finalizers.length === 0 && grace === 0 && !kind.strategy.isHeld?.(stored)) {
    if (options.dryRun) return { object: current, gone: true };
    const object = storage.delete(kind.storage, key, expected);
    kind.strategy.afterDelete?.(object, context);
    await storage.flushed();
    return { object: kind.conversion ? current : object, gone: true };
  }
  const now = context.services.clock.now();
  const next = markForDeletion(current, finalizers, grace, now);
  if (!next) return { object: current, gone: false };
  kind.strategy.markDeleted?.(next, current, now);
  if (options.dryRun) return { object: unstored(next), gone: false };
  const object = storage.put(kind.storage, key, await toStored(context, kind, next), expected);
  await storage.flushed();
  return { object: await readServed(context, kind, object), gone: false };
}

/** Seconds until the object may go; a second request can only shorten the wait. */
function graceOf(kind: ResourceKind, object: StoredObject, options: DeleteOptions): number {
  const grace = kind.strategy.gracePeriod?.(object, options.gracePeriodSeconds);
  if (grace === undefined) return 0;
  const pending =
    object.metadata.deletionTimestamp === undefined ? undefined : object.metadata.deletionGracePeriodSeconds;
  return Math.max(0, pending === undefined ? grace : Math.min(grace, pending));
}

/** The finalizers the object must have from now on: the propagation policy adds or removes those of the garbage collector. */
function finalizersFor(kind: ResourceKind, object: StoredObject, options: DeleteOptions): string[] {
  const current = object.metadata.finalizers ?? [];
  const { deletionFinalizers } = kind.strategy;
  // What the server does itself is begun first, whatever becomes of dependents.
  if (deletionFinalizers && object.metadata.deletionTimestamp === undefined)
    return [...new Set([...current, ...deletionFinalizers])];
  const orphan = wantsOrphan(kind, current, options);
  const foreground =
    options.propagationPolicy === "Foreground" ||
    (options.propagationPolicy === undefined &&
      options.orphanDependents === undefined &&
      current.includes("foregroundDeletion"));
  const others = current.filter((name) => name !== "orphan" && name !== "foregroundDeletion");
  return [...others, ...(orphan ? ["orphan"] : []), ...(foreground ? ["foregroundDeletion"] : [])];
}

function wantsOrphan(kind: ResourceKind, current: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === "Orphan";
  return current.includes("orphan") || kind.strategy.defaultPropagation === "Orphan";
}

/** The object with its deletion under way; undefined when that changes nothing. */
function markForDeletion(
  object: StoredObject,
  finalizers: readonly string[],
  grace: number,
  now: number,
): DraftObject | undefined {
  const { metadata } = object;
  const before = metadata.finalizers ?? [];
  const sameFinalizers =
    before.length === finalizers.length && before.every((name) => finalizers.includes(name));
  if (metadata.deletionTimestamp && sameFinalizers && (metadata.deletionGracePeriodSeconds ?? 0) === grace)
    return undefined;
  const next = cloneJson(object);
  if (finalizers.length > 0) next.metadata.finalizers = sameFinalizers ? [...before] : [...finalizers];
  else delete next.metadata.finalizers;
  if (!metadata.deletionTimestamp && metadata.generation) next.metadata.generation = metadata.generation + 1;
  const started = metadata.deletionTimestamp
    ? Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
    : now;
  next.metadata.deletionTimestamp = formatTime(started + grace * 1000);
  next.metadata.deletionGracePeriodSeconds = grace;
  return next;
}

// The end of an object: at once, after a grace period, or when its last finalizer is gone.

import { deepEqual, formatTime } from "@kubewright/api";
import {
  type DraftObject,
  draftOf,
  notFound,
  objectModified,
  type StoredObject,
  unstored,
} from "@kubewright/kinds";

import { RevisionConflict } from "../storage/index.js";
import type { DeleteOptions } from "./delete-options.js";
import { checkPreconditions } from "./delete-preconditions.js";
import { deletionFinalizers } from "./deletion-finalizers.js";
import { type DeletionPlan, planDeletion } from "./graceful-deletion.js";
import { requestedKey } from "./object-key.js";
import type { RequestContext } from "./request-context.js";
import { type ResourceKind, subjectOf } from "./resource-kind.js";
import { readServed, toStored } from "./served-version.js";
import { strategyContext } from "./strategy-context.js";

export interface DeleteResult {
  readonly object: StoredObject;
  /** False while it waits for finalizers or its grace period. */
  readonly gone: boolean;
}

/** kube-apiserver tries until the request has taken too long; each failure means that someone else got ahead. */
const attempts = 1000;

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
      if (attempt >= attempts) throw objectModified(subjectOf(kind, name));
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
  const { storage, admission, clock } = context.services;
  const key = requestedKey(kind, namespace, name);
  const stored = storage.get(kind.storage, key);
  if (!stored) throw notFound(subjectOf(kind, name));
  const current = await readServed(context, kind, stored);
  checkPreconditions(kind, current, options);
  const plan = planDeletion(kind, stored, options, clock.now());
  if (plan.mode === "pending") return { object: current, gone: false };
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
  return execute({ context, kind, key, stored, current, options }, plan);
}

/** DELETE of a collection names none of its objects. */
const requestedName = ({ info }: RequestContext, name: string): string =>
  info.kind === "resource" && info.verb === "deletecollection" ? "" : name;

interface Deletion {
  readonly context: RequestContext;
  readonly kind: ResourceKind;
  readonly key: string;
  /** The object at rest. */
  readonly stored: StoredObject;
  /** The object as the request sees it. */
  readonly current: StoredObject;
  readonly options: DeleteOptions;
}

async function execute(deletion: Deletion, plan: DeletionPlan): Promise<DeleteResult> {
  const { kind, stored, current, options } = deletion;
  const finalizers = deletionFinalizers(kind, stored, options);
  const waits = finalizers.length > 0 || kind.strategy.isHeld?.(stored) === true;
  if (plan.mode === "graceful") {
    const object = await mark(deletion, plan, finalizers);
    if (waits || plan.seconds > 0) return { object, gone: false };
    // An object with graceful deletion is seen terminating even where its grace period is zero.
    return options.dryRun ? { object, gone: true } : remove(deletion, object);
  }
  if (waits) return { object: await mark(deletion, plan, finalizers), gone: false };
  return options.dryRun ? { object: current, gone: true } : remove(deletion, current);
}

/** Marks the object as terminating; returns it as it is where that changes nothing. */
async function mark(
  { context, kind, key, stored, current, options }: Deletion,
  plan: DeletionPlan,
  finalizers: readonly string[],
): Promise<StoredObject> {
  const { storage, clock } = context.services;
  const now = clock.now();
  const next = marked(current, plan, finalizers, now);
  if (!next) return current;
  kind.strategy.markDeleted?.(next, current, now);
  if (options.dryRun) return unstored(next);
  const expected = { revision: stored.metadata.resourceVersion };
  const object = storage.put(kind.storage, key, await toStored(context, kind, next), expected);
  return readServed(context, kind, object);
}

/** Takes the object out of the store; `last` is how the request sees it. */
async function remove({ context, kind, key }: Deletion, last: StoredObject): Promise<DeleteResult> {
  const { storage } = context.services;
  const object = storage.delete(kind.storage, key, { revision: last.metadata.resourceVersion });
  kind.strategy.afterDelete?.(object, strategyContext(context));
  // Nobody can be asked to convert what is no more.
  return { object: kind.conversion ? last : object, gone: true };
}

/** The object with its deletion under way; undefined when that changes nothing. */
function marked(
  object: StoredObject,
  plan: DeletionPlan,
  finalizers: readonly string[],
  now: number,
): DraftObject | undefined {
  const { metadata } = object;
  const isTerminating = metadata.deletionTimestamp !== undefined;
  if (isTerminating && plan.mode === "immediate" && isUnchanged(object, finalizers)) return undefined;
  const next = draftOf(object);
  if (finalizers.length > 0) next.metadata.finalizers = [...finalizers];
  else delete next.metadata.finalizers;
  if (!isTerminating && metadata.generation) next.metadata.generation = Number(metadata.generation) + 1;
  const graceful = plan.mode === "graceful" ? plan : undefined;
  next.metadata.deletionTimestamp =
    graceful?.deletionTimestamp ?? earlier(metadata.deletionTimestamp, formatTime(now));
  next.metadata.deletionGracePeriodSeconds = graceful?.seconds ?? 0;
  return next;
}

const isUnchanged = ({ metadata }: StoredObject, finalizers: readonly string[]): boolean =>
  (metadata.deletionGracePeriodSeconds ?? 0) === 0 && deepEqual(finalizers, metadata.finalizers ?? []);

/** Timestamps are written so that they sort by time. */
const earlier = (time: string | undefined, other: string): string =>
  time !== undefined && time < other ? time : other;

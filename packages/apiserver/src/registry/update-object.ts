// A change to an object that is there: read, transform, admit, validate, write if anything changed; again if someone
// else wrote meanwhile and the client did not pin a version.

import { deepEqual, type FieldError } from "@kubewright/api";
import {
  type DraftMeta,
  type DraftObject,
  invalid,
  notFound,
  objectModified,
  type StoredObject,
  type Strategy,
  type StrategyContext,
  type Transaction,
  unknownError,
  unstored,
} from "@kubewright/kinds";
import { ignoreTimestamps } from "@kubewright/machinery";

import { RevisionConflict } from "../storage/index.js";
import { createObject } from "./create-object.js";
import { dedupOwnerReferences } from "./dedup-owner-references.js";
import { requestedKey } from "./object-key.js";
import type { RequestContext } from "./request-context.js";
import { failureKind, keyOf, type ResourceKind, subjectOf } from "./resource-kind.js";
import { parseRevision, revisionProblem } from "./revision.js";
import { asIfStored, isIncomplete, readServed, settleForStorage, toStored } from "./served-version.js";
import { withEmptiesShown } from "./shown-empties.js";
import { strategyContext } from "./strategy-context.js";
import { carryOver, matchName, matchNamespace } from "./system-metadata.js";
import { metadataUpdateErrors } from "./validate-metadata.js";
import type { WriteOptions } from "./write-options.js";

/** kube-apiserver tries until the request has taken too long; each failure means that someone else got ahead. */
const attempts = 1000;

/** Makes the new object from the one that is there (in the served version); undefined means it does not exist. */
export type Transform = (current: StoredObject | undefined) => Promise<Transformed> | Transformed;

export interface Transformed {
  /** The new object, as the client sent it and admission sees it. */
  readonly object: DraftObject;
  /** Where that is a view of the object: what the view was before, and how to get from the view to the object. */
  readonly view?: { readonly before: StoredObject; finish(view: DraftObject): DraftObject } | undefined;
}

export interface UpdateTarget {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The object's own rules, or those of the subresource it is written through. */
  readonly strategy: Strategy;
  readonly subresource?: string | undefined;
}

export interface UpdateResult {
  readonly object: StoredObject;
  readonly created: boolean;
}

export async function updateObject(
  context: RequestContext,
  target: UpdateTarget,
  options: WriteOptions,
  transform: Transform,
): Promise<UpdateResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryUpdate(context, target, options, transform);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      if (attempt >= attempts) throw objectModified(subjectOf(target.kind, target.name));
    }
  }
}

async function tryUpdate(
  context: RequestContext,
  target: UpdateTarget,
  options: WriteOptions,
  transform: Transform,
): Promise<UpdateResult> {
  const { kind, name, namespace, strategy } = target;
  const { storage, admission } = context.services;
  const key = requestedKey(kind, namespace, name);
  const atRest = storage.get(kind.storage, key);
  const current = atRest && (await readServed(context, kind, atRest));
  const { object: sent, view } = await transform(current);
  if (!current || !atRest) {
    if (!strategy.allowCreateOnUpdate || target.subresource) throw notFound(subjectOf(kind, name));
    const object = await createObject(context, kind, sent, namespace, { ...options, byUpdate: true });
    return { object, created: true };
  }
  matchNamespace(sent, kind, namespace);
  matchName(sent, name);
  const request = {
    operation: "UPDATE" as const,
    kind,
    subresource: target.subresource,
    name,
    namespace,
    object: sent,
    oldObject: view?.before ?? current,
    dryRun: options.dryRun,
    context,
  };
  await admission.mutate(request);
  dedupOwnerReferences(sent, context, "after admission");
  const object = view ? view.finish(sent) : sent;
  checkVersion(object, current, target);
  const rules = strategyContext(context, options.dryRun);
  const transaction = strategy.begin?.(object, current, rules);
  let taken: Transaction | undefined;
  try {
    validateChange(target, object, current, rules);
    taken = await admission.validate(request);
    const written = await write(context, target, object, atRest, current, options.dryRun, () => {
      taken?.commit();
      taken = undefined;
    });
    if (options.dryRun) transaction?.revert();
    else transaction?.commit();
    return { object: written, created: false };
  } catch (error) {
    transaction?.revert();
    throw error;
  } finally {
    taken?.revert();
  }
}

/** Throws unless the change is based on the object as it is now, or on no version where the kind allows that. */
function checkVersion(object: DraftObject, current: StoredObject, target: UpdateTarget): void {
  const { metadata } = object;
  const wanted = metadata.resourceVersion || "0";
  const problem = revisionProblem(wanted);
  if (problem !== undefined) throw unknownError(problem);
  if (parseRevision(wanted) === 0) {
    if (target.strategy.allowUnconditionalUpdate === false) {
      throw invalid({ group: target.kind.group, kind: target.kind.plural }, target.name, [unconditional]);
    }
  } else if (parseRevision(wanted) !== parseRevision(current.metadata.resourceVersion)) {
    throw objectModified(subjectOf(target.kind, target.name));
  }
  metadata.resourceVersion = current.metadata.resourceVersion;
}

const unconditional: FieldError = {
  field: "metadata.resourceVersion",
  reason: "FieldValueInvalid",
  message: "Invalid value: 0: must be specified for an update",
};

function validateChange(
  { kind, name, strategy }: UpdateTarget,
  object: DraftObject,
  current: StoredObject,
  rules: StrategyContext,
): void {
  carryOver(object, current);
  strategy.prepareForUpdate?.(object, current, rules);
  const errors = [
    ...metadataUpdateErrors(object, current, kind, strategy),
    ...(strategy.validateUpdate?.(object, current, rules) ?? []),
  ];
  if (errors.length > 0)
    throw invalid(
      failureKind(kind),
      name,
      withEmptiesShown(errors, object, () => kind.typeInfo),
    );
  for (const text of strategy.warnings?.(object, current) ?? []) rules.warnings.push(text);
}

async function write(
  context: RequestContext,
  { kind, name, namespace }: UpdateTarget,
  object: DraftObject,
  atRest: StoredObject,
  current: StoredObject,
  dryRun: boolean,
  onStored: () => void,
): Promise<StoredObject> {
  const { storage } = context.services;
  const key = keyOf(kind, namespace, name);
  const expected = { revision: atRest.metadata.resourceVersion };
  settleForStorage(kind, object);
  const isUnchanged = ignoreTimestamps(object, current) === current;
  const mayStay = isUnchanged && !isIncomplete(atRest);
  if (mayStay && !kind.conversion) return current;
  if (dryRun) return asIfStored(context, kind, object);
  if (isFinished(object) && !kind.strategy.isHeld?.(object)) {
    const gone = storage.delete(kind.storage, key, expected);
    kind.strategy.afterDelete?.(gone, strategyContext(context));
    // The client sees what it wrote, at the version it wrote over: the deletion has no place in the answer.
    return unstored(object);
  }
  // An unchanged object may be stored in an old version, or lack defaults of today: then it is written after all. It differs
  // from what is there in times at most, and those stay.
  const { managedFields } = current.metadata as DraftMeta;
  if (isUnchanged && managedFields) object.metadata.managedFields = managedFields;
  const toStore = await toStored(context, kind, object);
  if (mayStay && deepEqual(toStore, atRest)) return current;
  const stored = storage.put(kind.storage, key, toStore, expected);
  onStored();
  return readServed(context, kind, stored);
}

/** Its deletion was only waiting for finalizers and the grace period, and both are over. */
function isFinished({ metadata }: DraftObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers?.length ?? 0) === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}

// The creation of an object: managed fields, admission, identity, validation, the write.

import { cloneJson, generateName, isAlreadyExists } from "@kubewright/api";
import {
  alreadyExists,
  type DraftObject,
  invalid,
  noUniqueName,
  type StoredObject,
  type StrategyContext,
  type Transaction,
  unknownError,
} from "@kubewright/kinds";

import { RevisionConflict } from "../storage/index.js";
import { confirmCreation } from "./confirm-creation.js";
import { dedupOwnerReferences } from "./dedup-owner-references.js";
import type { RequestContext } from "./request-context.js";
import { failureKind, keyOf, type ResourceKind, subjectOf } from "./resource-kind.js";
import { parseRevision, revisionProblem } from "./revision.js";
import { asIfStored, markIncomplete, readServed, settleForStorage, toStored } from "./served-version.js";
import { withEmptiesShown } from "./shown-empties.js";
import { strategyContext } from "./strategy-context.js";
import { fillForCreate, matchNamespace, wipeForCreate } from "./system-metadata.js";
import { trackManagedFields } from "./track-managed-fields.js";
import { metadataErrors } from "./validate-metadata.js";
import type { WriteOptions } from "./write-options.js";

const generateNameAttempts = 8;

/** The options of a create by another verb than POST. */
export interface CreateOptions extends WriteOptions {
  /** Server-side apply has set the managed fields already. */
  readonly owned?: boolean | undefined;
  /** A PUT or PATCH of what is not there; the version it was based on is no matter then. */
  readonly byUpdate?: boolean | undefined;
}

/** Stores a new object and returns what was stored. */
export async function createObject(
  context: RequestContext,
  kind: ResourceKind,
  draft: DraftObject,
  namespace: string | undefined,
  options: CreateOptions,
): Promise<StoredObject> {
  matchNamespace(draft, kind, namespace);
  wipeForCreate(draft);
  if (!options.owned) {
    dedupOwnerReferences(draft, context, "first");
    await trackManagedFields(context, kind, kind.strategy, undefined, draft, options);
  }
  const creation: Creation = { context, kind, namespace, options };
  await context.services.admission.mutate(admissionOf(creation, draft));
  dedupOwnerReferences(draft, context, "after admission");
  if (options.byUpdate) {
    const problem = revisionProblem(draft.metadata.resourceVersion || "0");
    if (problem !== undefined) throw unknownError(problem);
    delete draft.metadata.resourceVersion;
  }
  const prefix = draft.metadata.name ? undefined : draft.metadata.generateName;
  return prefix ? createUnderSomeName(creation, draft, prefix) : complete(creation, draft);
}

interface Creation {
  readonly context: RequestContext;
  readonly kind: ResourceKind;
  readonly namespace: string | undefined;
  readonly options: CreateOptions;
}

const admissionOf = ({ context, kind, namespace, options }: Creation, object: DraftObject) => ({
  operation: "CREATE" as const,
  kind,
  subresource: undefined,
  name: object.metadata.name ?? "",
  namespace,
  object,
  oldObject: undefined,
  dryRun: options.dryRun,
  context,
});

/** A generated name that is taken is drawn again. */
async function createUnderSomeName(
  creation: Creation,
  draft: DraftObject,
  prefix: string,
): Promise<StoredObject> {
  for (let attempt = 1; ; attempt++) {
    const named = copyOf(draft);
    named.metadata.name = generateName(prefix, creation.context.services.random);
    try {
      return await complete(creation, named);
    } catch (error) {
      if (!isAlreadyExists(error) || attempt >= generateNameAttempts) throw error;
    }
  }
}

/** Entries of managedFields are shared: nobody changes them in place. */
function copyOf(draft: DraftObject): DraftObject {
  const { managedFields, ...metadata } = draft.metadata;
  const copy: DraftObject = cloneJson({ ...draft, metadata });
  if (managedFields) copy.metadata.managedFields = managedFields;
  return copy;
}

/** From the name on: identity, validation, the write. */
async function complete(creation: Creation, draft: DraftObject): Promise<StoredObject> {
  const { context, kind, options } = creation;
  fillForCreate(draft, context);
  const rules = strategyContext(context, options.dryRun);
  const transaction = kind.strategy.begin?.(draft, undefined, rules);
  let taken: Transaction | undefined;
  try {
    validateNew(creation, draft, rules);
    confirmCreation(context);
    taken = await context.services.admission.validate(admissionOf(creation, draft));
    const stored = await storeNew(creation, draft, () => {
      taken?.commit();
      taken = undefined;
    });
    if (options.dryRun) transaction?.revert();
    else transaction?.commit();
    return stored;
  } catch (error) {
    transaction?.revert();
    throw error;
  } finally {
    taken?.revert();
  }
}

function validateNew({ context, kind }: Creation, draft: DraftObject, rules: StrategyContext): void {
  const { strategy } = kind;
  if (strategy.hasGeneration) draft.metadata.generation = 1;
  strategy.prepareForCreate?.(draft, rules);
  const ofMetadata = metadataErrors(draft, kind);
  const ofKind = strategy.validateCreate?.(draft, rules) ?? [];
  const errors =
    strategy.metadata?.validator === "none" && ofKind.length > 0 ? ofKind : [...ofMetadata, ...ofKind];
  if (errors.length > 0)
    throw invalid(
      failureKind(kind),
      draft.metadata.name ?? "",
      withEmptiesShown(errors, draft, () => kind.typeInfo),
    );
  for (const text of strategy.warnings?.(draft, undefined) ?? []) context.warnings.push(text);
}

/** `onStored` is called in the same instant, before anyone else can look. */
async function storeNew(creation: Creation, draft: DraftObject, onStored: () => void): Promise<StoredObject> {
  const { context, kind, namespace, options } = creation;
  const { storage } = context.services;
  const { name = "", resourceVersion } = draft.metadata;
  const key = keyOf(kind, namespace, name);
  const isIncomplete = settleForStorage(kind, draft);
  if (options.dryRun) {
    const holder = storage.get(kind.storage, key);
    if (holder) throw taken(kind, draft, holder);
    return asIfStored(context, kind, draft);
  }
  if (resourceVersion && parseRevision(resourceVersion))
    throw unknownError("resourceVersion should not be set on objects to be created");
  delete draft.metadata.resourceVersion;
  try {
    const stored = storage.put(kind.storage, key, await toStored(context, kind, draft), "absent");
    if (isIncomplete) markIncomplete(stored);
    onStored();
    return await readServed(context, kind, stored);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    throw taken(kind, draft, storage.get(kind.storage, key));
  }
}

/** The name is taken. With generateName, the message is that the server found no unique name, even where the client chose it. */
function taken(kind: ResourceKind, { metadata }: DraftObject, holder: StoredObject | undefined) {
  const terminating = holder?.metadata.deletionTimestamp !== undefined;
  const subject = subjectOf(kind, metadata.name ?? "");
  return metadata.generateName ? noUniqueName(subject, terminating) : alreadyExists(subject, terminating);
}

// A new object on its way into the store: ownership, admission, identity, validation, the write.
import { confirmCreation } from "../auth/confirm-creation.js";
import type { RequestContext } from "../request/context.js";
import { type DraftObject, unstored } from "../request/draft.js";
import { alreadyExists, invalid } from "../request/failures.js";
import { RevisionConflict, type StoredObject } from "../storage/index.js";
import { trackOwnership } from "./ownership.js";
import { failureKind, keyOf, type ResourceKind, subjectOf } from "./resource-kind.js";
import { readServed, toStored } from "./served-version.js";
import { fillForCreate, generateName, matchNamespace } from "./system-metadata.js";
import { validateMetadata } from "./validate-metadata.js";
import type { WriteOptions } from "./write-options.js";

const generateNameAttempts = 8;

/**
 * Stores a new object and returns what was stored. `owned` says that managedFields are already those to store (server-side
 * apply computes its own).
 */
export async function createObject(
  context: RequestContext,
  kind: ResourceKind,
  draft: DraftObject,
  namespace: string | undefined,
  options: WriteOptions,
  owned = false,
): Promise<StoredObject> {
  const { admission } = context.services;
  matchNamespace(draft, kind, namespace);
  if (!owned) await trackOwnership(context, kind, kind.strategy, undefined, draft, options);
  const request = {
    operation: "CREATE" as const,
    kind,
    subresource: undefined,
    name: draft.metadata.name ?? "",
    namespace,
    object: draft,
    oldObject: undefined,
    dryRun: options.dryRun,
    context,
  };
  await admission.mutate(request);
  fillForCreate(draft, context);
  const prefix = draft.metadata.name ? undefined : draft.metadata.generateName;
  if (prefix) draft.metadata.name = generateName(prefix, context.services.random);
  const transaction = kind.strategy.begin?.(draft, undefined, context);
  try {
    await validateNew(context, kind, draft);
    confirmCreation(context);
    await admission.validate({ ...request, name: draft.metadata.name ?? "" });
    const stored = await storeNew(context, kind, draft, namespace, prefix, options.dryRun);
    if (options.dryRun) transaction?.revert();
    else transaction?.commit();
    return stored;
  } catch (error) {
    transaction?.revert();
    throw error;
  }
}

async function validateNew(context: RequestContext, kind: ResourceKind, draft: DraftObject): Promise<void> {
  const { strategy } = kind;
  if (strategy.hasGeneration) draft.metadata.generation = 1;
  strategy.prepareForCreate?.(draft, context);
  const errors = [
    ...validateMetadata(draft, kind),
    ...((await strategy.validateCreate?.(draft, context)) ?? []),
  ];
  if (errors.length > 0) throw invalid(failureKind(kind), draft.metadata.name ?? "", errors);
  context.warnings.push(...(strategy.warnings?.(draft, undefined) ?? []));
}

/** Writes; a generated name that is taken is drawn again. */
async function storeNew(
  context: RequestContext,
  kind: ResourceKind,
  draft: DraftObject,
  namespace: string | undefined,
  prefix: string | undefined,
  dryRun: boolean,
): Promise<StoredObject> {
  const { storage, random } = context.services;
  for (let attempt = 1; ; attempt++) {
    const name = draft.metadata.name ?? "";
    const key = keyOf(kind, namespace, name);
    try {
      if (dryRun) {
        if (storage.get(kind.storage, key)) throw new RevisionConflict(name);
        return unstored(draft);
      }
      const stored = storage.put(kind.storage, key, await toStored(context, kind, draft), "absent");
      await storage.flushed();
      return await readServed(context, kind, stored);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      const leaving = storage.get(kind.storage, key)?.metadata.deletionTimestamp !== undefined;
      if (!prefix || attempt >= generateNameAttempts) throw alreadyExists(subjectOf(kind, name), leaving);
      draft.metadata.name = generateName(prefix, random);
    }
  }
}

// POST and PUT.

import type { TransportResponse } from "@kubewright/api";
import type { DraftObject, StoredObject } from "@kubewright/kinds";

import { createObject } from "../registry/create-object.js";
import { dedupOwnerReferences } from "../registry/dedup-owner-references.js";
import { requestedKey } from "../registry/object-key.js";
import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind, Subresource, View } from "../registry/resource-kind.js";
import { checkUid, matchName, matchNamespace, wipeForCreate } from "../registry/system-metadata.js";
import { trackManagedFields } from "../registry/track-managed-fields.js";
import { type Transformed, type UpdateTarget, updateObject } from "../registry/update-object.js";
import { type WriteOptions, writeOptions } from "../registry/write-options.js";
import { decodeDraft } from "./decode.js";
import { negotiateFor, respondAs, respondObject } from "./represent.js";
import { type UnchangedParts, unchangedIn } from "./unchanged-parts.js";

export async function postObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context, kind);
  const options = writeOptions(context, "CreateOptions");
  const draft = decodeDraft(context, kind, options);
  if (kind.review) {
    const answer = await review(context, kind, draft, namespace, options);
    return respondObject(context, kind, answer as never, 201, negotiated);
  }
  const object = await createObject(context, kind, draft, namespace, options);
  return respondObject(context, kind, object, 201, negotiated);
}

/** Questions are admitted as objects are, though they are not stored. */
async function review(
  context: RequestContext,
  kind: ResourceKind,
  object: DraftObject,
  namespace: string | undefined,
  { dryRun }: WriteOptions,
): Promise<DraftObject | undefined> {
  const { admission } = context.services;
  matchNamespace(object, kind, namespace);
  wipeForCreate(object);
  const name = object.metadata.name ?? "";
  const subject = { operation: "CREATE" as const, kind, subresource: undefined, name, namespace };
  const request = { ...subject, object, oldObject: undefined, dryRun, context };
  await admission.mutate(request);
  const answer = await kind.review?.(object, context);
  await admission.validate(request);
  return answer;
}

export async function putObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  subresource?: Subresource,
): Promise<TransportResponse> {
  const negotiated = negotiateFor(context, kind);
  const options = writeOptions(context, "UpdateOptions");
  const view = subresource?.view;
  const shape = view?.kind ?? kind;
  const target = updateTarget(kind, namespace, name, subresource);
  const draft = decodeDraft(context, shape, options, unchangedByBody(context, target));
  matchNamespace(draft, kind, namespace);
  matchName(draft, name);
  dedupOwnerReferences(draft, context, "first");
  // A second attempt starts from the body again: the first has worked on the draft.
  let unused: DraftObject | undefined = draft;
  const { object, created } = await updateObject(context, target, options, async (current) => {
    const next = unused ?? decodeAgain(context, shape, options);
    unused = undefined;
    if (!current) {
      // Only those that may be created this way get here; a uid pins an object that is not there.
      if (kind.strategy.allowCreateOnUpdate) checkUid(next, { name, namespace }, kind);
      return { object: next };
    }
    const live = view ? view.toView(current, "write") : current;
    if (!view) checkUid(next, current.metadata, kind);
    await trackManagedFields(context, shape, target.strategy, live, next, options, target.subresource);
    return throughView(view, next, live, current);
  });
  return respondAs(context, kind, view, object, created ? 201 : 200, negotiated);
}

/** In this process a client that writes a status sends the very spec it was given. */
function unchangedByBody({ request, services }: RequestContext, target: UpdateTarget): UnchangedParts {
  const { kind, namespace, name, strategy, subresource } = target;
  if (subresource !== "status" || request.body?.kind !== "object" || kind.conversion) return {};
  const live = services.storage.get(kind.storage, requestedKey(kind, namespace, name));
  return live ? unchangedIn(request.body.value, live, strategy) : {};
}

/** Decodes the body again without warnings, since it was checked before. */
function decodeAgain(
  context: RequestContext,
  kind: ResourceKind,
  options: Pick<WriteOptions, "fieldValidation">,
): DraftObject {
  const silent = { ...context, warnings: [] };
  const draft = decodeDraft(silent, kind, options);
  dedupOwnerReferences(draft, silent, "first");
  return draft;
}

/** A changed view on its way to the object it shows. */
export function throughView(
  view: View | undefined,
  next: DraftObject,
  before: StoredObject,
  current: StoredObject,
): Transformed {
  if (!view) return { object: next };
  return { object: next, view: { before, finish: (changed) => view.fromView(changed, current) } };
}

export function updateTarget(
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  subresource?: Subresource,
): UpdateTarget {
  return {
    kind,
    namespace,
    name,
    strategy: subresource?.strategy ?? kind.strategy,
    ...(subresource ? { subresource: subresource.name } : {}),
  };
}

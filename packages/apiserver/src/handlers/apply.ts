// Server-side apply: the object is made to have the fields its author declares, whoever else writes to it.
import { apiVersionOf, formatTime } from "@kubewright/api";
import { applyConfiguration } from "../apply/index.js";
import type { MutableObject } from "../codec/index.js";
import { createObject } from "../registry/create-object.js";
import { requestedKey } from "../registry/object-key.js";
import { withOwnersVersions } from "../registry/owners-versions.js";
import { subjectOf, type View } from "../registry/resource-kind.js";
import { matchName, matchNamespace } from "../registry/system-metadata.js";
import { type UpdateResult, type UpdateTarget, updateObject } from "../registry/update-object.js";
import type { WriteOptions } from "../registry/write-options.js";
import type { RequestContext } from "../request/context.js";
import { cloneJson, type DraftObject } from "../request/draft.js";
import { conflict, notFound } from "../request/failures.js";
import type { StoredObject } from "../storage/index.js";
import { refit } from "./refit.js";
import { throughView } from "./write.js";

/** Merges a configuration into the object, or creates it. */
export async function applyPatch(
  context: RequestContext,
  target: UpdateTarget,
  view: View | undefined,
  options: WriteOptions,
  applied: MutableObject,
): Promise<UpdateResult> {
  const { kind, name, namespace } = target;
  const shape = view?.kind ?? kind;
  const merge = async (live: StoredObject | undefined) => {
    const result = await withOwnersVersions(shape, (convert) =>
      applyConfiguration({
        live,
        applied,
        facts: shape.facts,
        manager: options.fieldManager,
        force: options.force,
        apiVersion: apiVersionOf(shape),
        kind: shape.kind,
        time: formatTime(context.services.clock.now()),
        subresource: target.subresource,
        resetFields: target.strategy.resetFields,
        convert,
      }),
    );
    return result.object;
  };
  const exists = context.services.storage.get(kind.storage, requestedKey(kind, namespace, name));
  if (!exists && !target.subresource) {
    const draft = refit(context, kind, await merge(undefined), options);
    if (draft.metadata.uid) throw conflict(subjectOf(kind, name), noSuchUid(draft.metadata.uid));
    matchNamespace(draft, kind, namespace);
    matchName(draft, name);
    const how = { ...options, owned: true, byUpdate: true };
    const object = await createObject(context, kind, draft, namespace, how);
    return { object, created: true };
  }
  return updateObject(context, target, options, async (current) => {
    if (!current) throw notFound(subjectOf(kind, name));
    const live = view ? view.toView(current, "write") : current;
    const merged = await merge(live);
    if (merged !== live) view?.refuseApply?.(applied);
    const next: DraftObject = merged === live ? cloneJson(live) : refit(context, shape, merged, options);
    return throughView(view, next, live, current);
  });
}

const noSuchUid = (uid: string): string =>
  `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;

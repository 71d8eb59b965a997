// Tracks metadata.managedFields through creates, updates and patches.

import { apiVersionOf, formatTime } from "@kubewright/api";
import type { DraftMeta, DraftObject, StoredObject, Strategy } from "@kubewright/kinds";

import { withManagerVersions } from "./manager-versions.js";
import type { RequestContext } from "./request-context.js";
import type { ResourceKind } from "./resource-kind.js";
import type { WriteOptions } from "./write-options.js";

/** Gives the draft the managedFields it has after a create, update or patch by this manager. */
export async function trackManagedFields(
  context: RequestContext,
  kind: ResourceKind,
  strategy: Strategy,
  live: StoredObject | undefined,
  draft: DraftObject,
  options: WriteOptions,
  subresource?: string,
): Promise<void> {
  const managedFields = await withManagerVersions(context, kind, (convert) =>
    context.services.managedFieldsTracker.track({
      live,
      updated: draft,
      typeInfo: kind.typeInfo,
      manager: options.fieldManager,
      apiVersion: apiVersionOf(kind),
      time: formatTime(context.services.clock.now()),
      subresource,
      resetFields: strategy.resetFields,
      convert,
    }),
  );
  // Entries are shared with the live object and among each other, and never changed in place.
  if (managedFields) draft.metadata.managedFields = managedFields as DraftMeta["managedFields"];
  else delete draft.metadata.managedFields;
}

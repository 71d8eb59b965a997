// Who owns which field, kept in metadata.managedFields as writes pass by.
import { apiVersionOf, formatTime, type TransportRequest } from "@kubewright/api";
import type { ConvertVersion } from "../apply/index.js";
import type { RequestContext } from "../request/context.js";
import type { DraftMeta, DraftObject } from "../request/draft.js";
import { isTooLarge, ObjectTooLarge, type StoredObject } from "../storage/index.js";
import { withOwnersVersions } from "./owners-versions.js";
import type { ResourceKind } from "./resource-kind.js";
import type { Strategy } from "./strategy.js";
import type { WriteOptions } from "./write-options.js";

/** Bytes of a body that nothing too large can come of. */
const shortBody = 128 * 1024;

/** Whether the body is so short that what it creates is small too. */
export const isShort = ({ body }: TransportRequest): boolean =>
  body?.kind === "bytes" && body.bytes.length < shortBody;

const isLong = ({ body }: TransportRequest): boolean =>
  body?.kind === "bytes" && body.bytes.length >= shortBody;

/** Gives the draft the managedFields it has after a create, update or patch by this manager. */
export async function trackOwnership(
  context: RequestContext,
  kind: ResourceKind,
  strategy: Strategy,
  live: StoredObject | undefined,
  draft: DraftObject,
  options: WriteOptions,
  subresource?: string,
): Promise<void> {
  // It can never be stored, whoever owns what and whatever else may be wrong with it.
  if (context.turns && (live || !isShort(context.request))) if (isTooLarge(draft)) throw new ObjectTooLarge();

  const track = (convert: ConvertVersion | undefined) =>
    context.services.creationOwners.track({
      live,
      updated: draft,
      facts: kind.facts,
      manager: options.fieldManager,
      apiVersion: apiVersionOf(kind),
      time: formatTime(context.services.clock.now()),
      subresource,
      resetFields: strategy.resetFields,
      convert,
    });
  // Nobody creates many that are alike and so large.
  const known = live || isLong(context.request) ? undefined : track(undefined);
  const managedFields = Array.isArray(known)
    ? known
    : await withOwnersVersions(context, kind, (convert) => {
        const tracked = track(convert);
        return tracked && "next" in tracked ? tracked : tracked;
      });
  // Entries are shared, with the object as it was and among each other; nobody changes them in place.
  if (managedFields) draft.metadata.managedFields = managedFields as DraftMeta["managedFields"];
  else delete draft.metadata.managedFields;
}

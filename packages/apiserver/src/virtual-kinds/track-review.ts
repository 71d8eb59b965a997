import type { DraftObject } from "@kubewright/kinds";
import type { RequestContext } from "../registry/request-context.js";
import { trackManagedFields } from "../registry/track-managed-fields.js";
import { writeOptions } from "../registry/write-options.js";

/** Reviews are not stored, yet their managed fields say who sent what. */
export async function trackReview(context: RequestContext, object: DraftObject): Promise<void> {
  const { info, services } = context;
  const kind =
    info.kind === "resource" ? services.registry.find(info.group, info.version, info.resource) : undefined;
  if (kind)
    await trackManagedFields(
      context,
      kind,
      kind.strategy,
      undefined,
      object,
      writeOptions(context, "CreateOptions"),
    );
}

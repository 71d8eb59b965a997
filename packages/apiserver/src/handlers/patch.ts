// PATCH: JSON, merge and strategic patches here; server-side apply has a file of its own.
import type { TransportResponse } from "@kubewright/api";
import { decodeJsonPatch, decodeObjectPatch, type PatchFormat } from "../codec/index.js";
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch } from "../patch/index.js";
import { trackOwnership } from "../registry/ownership.js";
import { type ResourceKind, type Subresource, subjectOf } from "../registry/resource-kind.js";
import { updateObject } from "../registry/update-object.js";
import { writeOptions } from "../registry/write-options.js";
import { headerOf, type RequestContext } from "../request/context.js";
import { notFound, unsupportedMediaType } from "../request/failures.js";
import type { StoredObject } from "../storage/index.js";
import { applyPatch } from "./apply.js";
import { refit } from "./refit.js";
import { negotiateFor, respondAs } from "./represent.js";
import { throughView, updateTarget } from "./write.js";

const formats: readonly (readonly [string, PatchFormat])[] = [
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
];

export async function patchObject(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  name: string,
  subresource?: Subresource,
): Promise<TransportResponse> {
  const format = patchFormat(context, kind);
  const negotiated = negotiateFor(context);
  const view = subresource?.view;
  const shape = view?.kind ?? kind;
  const options = writeOptions(context, "PatchOptions", format === "apply");
  const target = updateTarget(kind, namespace, name, subresource);
  if (format === "apply") {
    const { patch } = decodeObjectPatch(context.request.body, "apply");
    const { object, created } = await applyPatch(context, target, view, options, patch);
    return respondAs(context, kind, view, object, created ? 201 : 200, negotiated);
  }
  const { apply, duplicates } = readPatch(context, format, shape);
  const { object } = await updateObject(context, target, options, async (current) => {
    if (!current) throw notFound(subjectOf(kind, name));
    const live = view ? view.toView(current, "write") : current;
    const next = refit(context, shape, apply(live), options, duplicates);
    await trackOwnership(context, shape, target.strategy, live, next, options, target.subresource);
    return throughView(view, next, live, current);
  });
  return respondAs(context, kind, view, object, 200, negotiated);
}

/** Custom kinds have no Go types, hence no strategic merge; and it is their handler that refuses what is no patch. */
function patchFormat(context: RequestContext, kind: ResourceKind): PatchFormat {
  const mediaType = (headerOf(context, "content-type") ?? "").split(";", 1)[0]?.trim() ?? "";
  const known = kind.custom ? formats.filter(([, format]) => format !== "strategic") : formats;
  const format = known.find(([name]) => name === mediaType)?.[1];
  if (format) return format;
  if (!kind.custom) throw unsupportedMediaType("415: Unsupported Media Type", {});
  const names = known.map(([name]) => name).join(", ");
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${names}`,
  );
}

interface ReadPatch {
  readonly duplicates: readonly string[];
  apply(live: StoredObject): unknown;
}

function readPatch(
  context: RequestContext,
  format: "json" | "merge" | "strategic",
  kind: ResourceKind,
): ReadPatch {
  const { body } = context.request;
  if (format === "json") {
    const { patch } = decodeJsonPatch(body);
    return { duplicates: [], apply: (live) => applyJsonPatch(live, patch) };
  }
  const { patch, duplicates } = decodeObjectPatch(body, format);
  return {
    duplicates: duplicates.map(({ message }) => message),
    apply: (live) =>
      format === "merge" ? applyMergePatch(live, patch) : applyStrategicMergePatch(live, patch, kind.facts),
  };
}

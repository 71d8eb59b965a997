// PATCH: JSON, merge and strategic patches here; server-side apply has a file of its own.

import { apiVersionOf, isObject, type TransportResponse } from "@kubewright/api";
import { notFound, type StoredObject, unsupportedMediaType } from "@kubewright/kinds";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  decodeJsonPatch,
  decodeObjectPatch,
  goValue,
  type PatchFormat,
} from "@kubewright/machinery";

import { headerOf, type RequestContext } from "../registry/request-context.js";
import { type ResourceKind, type Subresource, subjectOf } from "../registry/resource-kind.js";
import { trackManagedFields } from "../registry/track-managed-fields.js";
import { updateObject } from "../registry/update-object.js";
import { writeOptions } from "../registry/write-options.js";
import { applyPatch } from "./apply.js";
import { decodePatched, type PatchFindings } from "./decode-patched.js";
import { patchedText } from "./patched-text.js";
import { negotiateFor, respondAs } from "./represent.js";
import { unchangedIn } from "./unchanged-parts.js";
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
  const negotiated = negotiateFor(context, kind);
  const view = subresource?.view;
  const shape = view?.kind ?? kind;
  const options = writeOptions(context, "PatchOptions", format === "apply");
  const target = updateTarget(kind, namespace, name, subresource);
  if (format === "apply") {
    const { object, created } = await applyPatch(context, target, view, options);
    return respondAs(context, kind, view, object, created ? 201 : 200, negotiated);
  }
  let patch: Patch | undefined;
  const { object } = await updateObject(context, target, options, async (current) => {
    if (!current) throw notFound(subjectOf(kind, name));
    // A missing object is reported before the patch is parsed.
    patch ??= readPatch(context, format);
    const live = view ? view.toView(current, "write") : current;
    const patched = patch.apply(live, shape);
    const { problems, shown = patchedText } = patch;
    const isStrategic = format === "strategic";
    const findings = { problems, isStrategic, shown: () => shown(patched, live, shape) };
    const next = decodePatched(
      context,
      shape,
      patched,
      options,
      findings,
      unchangedIn(patched, live, target.strategy),
    );
    await trackManagedFields(context, shape, target.strategy, live, next, options, target.subresource);
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

interface Patch extends Pick<PatchFindings, "problems"> {
  /** The text that an error shows. Default: the patched object. */
  readonly shown?: () => string;
  apply(live: StoredObject, kind: ResourceKind): unknown;
}

function readPatch(context: RequestContext, format: Exclude<PatchFormat, "apply">): Patch {
  const { body } = context.request;
  if (format === "json") {
    const { patch, duplicates } = decodeJsonPatch(body);
    return {
      problems: [...duplicates.map(({ message }) => message), ...unknownInOperations(patch)]
        .sort((a, b) => operationOf(a) - operationOf(b))
        .slice(0, mostProblems)
        .map((message) => `json patch ${message}`),
      apply: (live) => applyJsonPatch(live, patch),
    };
  }
  const { patch, duplicates } = decodeObjectPatch(body, format);
  const problems = duplicates.map(({ message }) => message);
  if (format === "merge") return { problems, apply: (live) => applyMergePatch(live, patch) };
  return {
    problems,
    shown: () => goValue(withoutDirectives(patch)),
    apply: (live, kind) => ofKind(applyStrategicMergePatch(live, patch, kind.typeInfo), kind),
  };
}

/** The patch as it is when it has been applied: what it said of itself has been taken out. */
function withoutDirectives(patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map(withoutDirectives);
  if (!isObject(patch)) return patch;
  const kept = Object.entries(patch).filter(([key]) => key !== "$patch" && key !== "$retainKeys");
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDirectives(value)]));
}

/** A strategic merge works on an object whose type is known: what the patch leaves of kind and apiVersion is no matter, if it is text. */
function ofKind(patched: unknown, kind: ResourceKind): unknown {
  if (!isObject(patched)) return patched;
  const isText = (value: unknown): boolean => (value ?? "") === "" || typeof value === "string";
  if (!isText(patched["kind"]) || !isText(patched["apiVersion"])) return patched;
  return { ...patched, kind: kind.kind, apiVersion: apiVersionOf(kind) };
}

/** The index of the operation that a problem names. */
const operationOf = (problem: string): number => Number(/\[(\d+)\]/.exec(problem)?.[1] ?? 0);

const operationFields = new Set(["op", "path", "from", "value"]);

/** kube-apiserver reports no more than this of one patch. */
const mostProblems = 100;

function unknownInOperations(operations: readonly unknown[]): string[] {
  const unknown: string[] = [];
  for (const [index, operation] of operations.entries()) {
    if (!isObject(operation)) continue;
    for (const field of Object.keys(operation)) {
      if (operationFields.has(field)) continue;
      unknown.push(`unknown field "[${index}].${field}"`);
      if (unknown.length >= mostProblems) return unknown;
    }
  }
  return unknown;
}

// The body of a create or update as a draft of its kind, with field validation and defaults.

import { cloneJson, isObject } from "@kubewright/api";
import { badRequest, type DraftObject } from "@kubewright/kinds";
import { decodeObject, type MutableObject } from "@kubewright/machinery";

import { headerOf, type RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { WriteOptions } from "../registry/write-options.js";
import { type UnchangedParts, without, withUnchanged } from "./unchanged-parts.js";

type Validation = Pick<WriteOptions, "fieldValidation">;

/** Decodes, checks and defaults the body. What is unchanged is taken from the stored object. */
export function decodeDraft(
  context: RequestContext,
  kind: ResourceKind,
  options: Validation,
  unchanged: UnchangedParts = {},
): DraftObject {
  const { body } = context.request;
  const changed = body?.kind === "object" ? { ...body, value: without(body.value, unchanged) } : body;
  const contentType = headerOf(context, "content-type");
  const { value, warnings } = decodeObject(changed, contentType, kind.decoder, options.fieldValidation);
  for (const warning of warnings) context.warnings.push(warning);
  const draft = defaulted(withUnchanged(asDraft(value), unchanged), kind, unchanged);
  context.record?.wasSent(draft);
  return draft;
}

/** A stored object has its defaults, so that no shared part is written to, unless a default is newer than the object. */
export function defaulted(
  draft: DraftObject,
  { strategy }: ResourceKind,
  { spec }: UnchangedParts = {},
): DraftObject {
  try {
    strategy.applyDefaults?.(draft);
  } catch (error) {
    if (spec === undefined) throw error;
    draft["spec"] = cloneJson(spec);
    strategy.applyDefaults?.(draft);
  }
  return draft;
}

/** A decoded object whose envelope is as every object's is. */
export function asDraft(value: MutableObject): DraftObject {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    throw badRequest("Object 'Kind' is missing");
  if (!isObject(value["metadata"])) value["metadata"] = {};
  return value as unknown as DraftObject;
}

// The body of a create or update as a draft of its kind, with field validation and defaults.

import {
  type DecodedObject,
  decodeObject,
  decodingSteps,
  isObject,
  type MutableObject,
} from "../codec/index.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { WriteOptions } from "../registry/write-options.js";
import { headerOf, type RequestContext } from "../request/context.js";
import { cloneJson, type DraftObject } from "../request/draft.js";
import { badRequest } from "../request/failures.js";
import { type Untouched, without, withUntouched } from "./untouched.js";

/** Bytes of a body that are worked on without a pause. */
const shortBody = 16 * 1024;

type Validation = Pick<WriteOptions, "fieldValidation">;

/** Decodes, checks and defaults the body. What is untouched is taken from the stored object. */
export function decodeDraft(
  context: RequestContext,
  kind: ResourceKind,
  options: Validation,
  untouched: Untouched = {},
): DraftObject | Promise<DraftObject> {
  const { body } = context.request;
  if (body?.kind === "bytes" && body.bytes.length > shortBody)
    return draftingSteps(context, kind, options, untouched);
  const decoded = decodeObject(...bodyOf(context, kind, options, untouched));
  return drafted(context, kind, decoded, untouched);
}

function draftingSteps(
  context: RequestContext,
  kind: ResourceKind,
  options: Validation,
  untouched: Untouched,
): DraftObject {
  const decoded = decodingSteps(...bodyOf(context, kind, options, untouched));

  return drafted(context, kind, decoded, untouched);
}

function bodyOf(
  context: RequestContext,
  { target }: ResourceKind,
  { fieldValidation }: Validation,
  untouched: Untouched,
) {
  const { body } = context.request;
  const changed = body?.kind === "object" ? { ...body, value: without(body.value, untouched) } : body;
  return [changed, headerOf(context, "content-type"), target, fieldValidation, context.readers] as const;
}

function drafted(
  context: RequestContext,
  kind: ResourceKind,
  { value, warnings }: DecodedObject,
  untouched: Untouched,
): DraftObject {
  for (const warning of warnings) context.warnings.push(warning);
  const draft = defaulted(withUntouched(asDraft(value), untouched), kind, untouched);
  context.record?.wasSent(draft);
  return draft;
}

/** What is stored has its defaults, so that nothing shared is written to; unless a default is younger than the object. */
export function defaulted(
  draft: DraftObject,
  { strategy }: ResourceKind,
  { spec }: Untouched = {},
): DraftObject {
  try {
    if (strategy.defaultingSteps) strategy.defaultingSteps(draft);
    else strategy.applyDefaults?.(draft);
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

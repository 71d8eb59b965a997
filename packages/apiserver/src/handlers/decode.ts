// The body of a create or update as a draft of its kind, with field validation and defaults.
import { decodingSteps, isObject, type MutableObject } from "../codec/index.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { WriteOptions } from "../registry/write-options.js";
import { headerOf, type RequestContext } from "../request/context.js";
import { cloneJson, type DraftObject } from "../request/draft.js";
import { badRequest } from "../request/failures.js";
import { inTurns } from "../request/turns.js";
import type { Steps } from "../steps.js";
import { type Untouched, without, withUntouched } from "./untouched.js";

/** Decodes, checks and defaults the body. What is untouched is taken from the stored object. */
export function decodeDraft(
  context: RequestContext,
  kind: ResourceKind,
  options: Pick<WriteOptions, "fieldValidation">,
  untouched: Untouched = {},
): Promise<DraftObject> {
  return inTurns(context.turns, draftingSteps(context, kind, options, untouched));
}

function* draftingSteps(
  context: RequestContext,
  kind: ResourceKind,
  options: Pick<WriteOptions, "fieldValidation">,
  untouched: Untouched,
): Steps<DraftObject> {
  const contentType = headerOf(context, "content-type");
  const { body } = context.request;
  const { value, warnings } = yield* decodingSteps(
    body?.kind === "object" ? { ...body, value: without(body.value, untouched) } : body,
    contentType,
    kind.target,
    options.fieldValidation,
    context.readers,
  );
  context.warnings.push(...warnings);
  yield;
  const draft = yield* defaulted(withUntouched(asDraft(value), untouched), kind, untouched);
  context.record?.wasSent(draft);
  return draft;
}

/** What is stored has its defaults, so that nothing shared is written to; unless a default is younger than the object. */
export function* defaulted(
  draft: DraftObject,
  { strategy }: ResourceKind,
  { spec }: Untouched = {},
): Steps<DraftObject> {
  try {
    if (strategy.defaultingSteps) yield* strategy.defaultingSteps(draft);
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

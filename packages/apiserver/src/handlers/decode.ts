// The body of a create or update as a draft of its kind, with field validation and defaults.
import { decodeObject, isObject, type MutableObject } from "../codec/index.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { WriteOptions } from "../registry/write-options.js";
import { headerOf, type RequestContext } from "../request/context.js";
import type { DraftObject } from "../request/draft.js";
import { badRequest } from "../request/failures.js";

/** Decodes, checks and defaults the body. */
export function decodeDraft(
  context: RequestContext,
  kind: ResourceKind,
  options: Pick<WriteOptions, "fieldValidation">,
): DraftObject {
  const contentType = headerOf(context, "content-type");
  const { value, warnings } = decodeObject(
    context.request.body,
    contentType,
    kind.target,
    options.fieldValidation,
    context.readYaml,
  );
  context.warnings.push(...warnings);
  const draft = asDraft(value);
  kind.strategy.applyDefaults?.(draft);
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

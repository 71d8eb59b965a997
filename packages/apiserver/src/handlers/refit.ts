// The outcome of a patch is decoded anew: fields the kind does not have go, canonical forms and defaults come.
import { apiVersionOf } from "@kubewright/api";
import { isObject, type MutableObject } from "../codec/index.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { WriteOptions } from "../registry/write-options.js";
import type { RequestContext } from "../request/context.js";
import { cloneJson, type DraftObject } from "../request/draft.js";
import { badRequest, invalid } from "../request/failures.js";
import { asDraft } from "./decode.js";

/** A draft of the kind from a patched value; throws 422 with the value, as the real server does. */
export function refit(
  context: RequestContext,
  kind: ResourceKind,
  value: unknown,
  options: WriteOptions,
  duplicates: readonly string[] = [],
): DraftObject {
  const copy: unknown = cloneJson(value);
  if (!isObject(copy)) throw badRequest("the patch does not leave an object");
  const problem = kindProblem(copy, kind);
  if (problem !== undefined) throw refused(value, problem);
  const { error, unknownFields } = kind.target.fit(copy, undefined);
  if (error !== undefined) throw refused(value, error);
  const texts = [...duplicates, ...unknownFields.map((field) => `unknown field "${field}"`)];
  if (texts.length > 0 && options.fieldValidation === "Strict") {
    throw refused(value, `strict decoding error: ${texts.join(", ")}`);
  }
  if (options.fieldValidation === "Warn") context.warnings.push(...texts);
  const draft = asDraft(copy);
  kind.strategy.applyDefaults?.(draft);
  return draft;
}

function refused(value: unknown, text: string) {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(value))}: ${text}`;
  return invalid({ group: "", kind: "" }, "", [{ field: "patch", reason: "FieldValueInvalid", message }]);
}

function kindProblem(object: MutableObject, kind: ResourceKind): string | undefined {
  const { apiVersion, kind: found } = object;
  if (apiVersion === apiVersionOf(kind)) {
    // Custom kinds have no types to be decoded into; their own rules say what is wrong with another kind.
    if (found === kind.kind || (kind.custom && typeof found === "string" && found !== "")) return undefined;
  }
  return `the API version in the data (${apiVersion}, Kind=${found}) does not match the expected API version (${apiVersionOf(kind)}, Kind=${kind.kind})`;
}

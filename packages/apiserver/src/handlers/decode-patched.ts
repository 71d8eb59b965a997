// The outcome of a patch is decoded anew: fields the kind does not have go, canonical forms and defaults come.

import { type ApiError, cloneJson, goJson, goQuote, isObject } from "@kubewright/api";
import { badRequest, type DraftObject, invalid, unknownError } from "@kubewright/kinds";
import { type MutableObject, strictDecodingError, warningLines } from "@kubewright/machinery";

import type { RequestContext } from "../registry/request-context.js";
import type { ResourceKind } from "../registry/resource-kind.js";
import type { WriteOptions } from "../registry/write-options.js";
import { asDraft, defaulted } from "./decode.js";
import { normalizePatched } from "./patched-kind.js";
import { type UnchangedParts, without, withUnchanged } from "./unchanged-parts.js";

/** The findings of the patch itself. */
export interface PatchFindings {
  /** Errors of strict field validation in the patch: duplicate keys. */
  readonly problems?: readonly string[] | undefined;
  /** The text that an error shows instead of the patched object. */
  readonly shown?: (() => string) | undefined;
  /** Set when it was server-side apply. */
  readonly isApplied?: boolean;
  /** Set when it was a strategic merge. */
  readonly isStrategic?: boolean;
}

/**
 * A draft of the kind from a patched value; throws 422 with the value, as kube-apiserver does. What `unchanged` names
 * is neither copied nor decoded again, but shared with the object that was patched.
 */
export function decodePatched(
  context: RequestContext,
  kind: ResourceKind,
  value: unknown,
  { fieldValidation }: Pick<WriteOptions, "fieldValidation">,
  { problems = [], shown, isApplied = false, isStrategic = false }: PatchFindings = {},
  unchanged: UnchangedParts = {},
): DraftObject {
  const refused = (text: string): ApiError => {
    const message = `Invalid value: ${goQuote(shown?.() ?? goJson(value))}: ${text}`;
    return invalid({ group: "", kind: "" }, "", [{ field: "patch", reason: "FieldValueInvalid", message }]);
  };
  if (!isObject(value)) throw badRequest("the patch does not leave an object");
  const copy = cloneJson(without(value, unchanged) as MutableObject);
  const { error, unknownFields } = normalizePatched(copy, kind, isApplied || isStrategic);
  if (error !== undefined) throw isApplied ? notConverted(copy, kind, error) : refused(error);
  // An applied configuration with an unknown field has been refused already.
  if (fieldValidation !== "Ignore" && !isApplied) {
    const texts = [...problems, ...unknownFields.map((field) => `unknown field "${field}"`)];
    if (texts.length > 0 && fieldValidation === "Strict") throw refused(strictDecodingError(texts));
    for (const text of texts) for (const line of warningLines(text)) context.warnings.push(line);
  }
  return defaulted(withUnchanged(asDraft(copy), unchanged), kind, unchanged);
}

/** What server-side apply has put together does not fit the type after all. */
function notConverted({ metadata }: MutableObject, kind: ResourceKind, text: string): ApiError {
  const name = isObject(metadata) ? String(metadata["name"] ?? "") : "";
  // As Go writes a kind: the core group leaves its slash.
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  return unknownError(
    `failed to convert new object (/${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${text}`,
  );
}

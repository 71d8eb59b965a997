// A patch can touch what says of which kind an object is. What it leaves is decoded as the real server decodes it, which
// fills in less, and elsewhere, than one would think.

import { apiVersionOf, type GroupVersionKind, stringifyJson } from "@kubewright/api";
import {
  type FitResult,
  type MutableObject,
  nativeTarget,
  notRegistered,
  parseGroupVersion,
  unknownConversion,
} from "@kubewright/machinery";
import type { ResourceKind } from "../registry/resource-kind.js";

/** Fits a patched object to its kind, in place. */
export function fitPatched(object: MutableObject, kind: ResourceKind): FitResult {
  const { kind: found = "", apiVersion = "" } = object;
  if (kind.custom) return fitCustom(object, kind);
  if (found === kind.kind && apiVersion === apiVersionOf(kind)) return fit(object, kind);
  for (const [field, value] of Object.entries({ apiVersion, kind: found }))
    if (typeof value !== "string" && value !== null) return refused(notText(field, value));
  const gvk = kindOf(object, kind);
  if (gvk === undefined) return refused(`unexpected GroupVersion string: ${apiVersion}`);
  object["kind"] = gvk.kind;
  if (gvk.group === kind.group && gvk.version === kind.version && gvk.kind === kind.kind)
    return fit(object, kind);
  return gvk.version === "" ? fitUnversioned(object, kind) : fitOther(object, gvk, kind);
}

function fit(object: MutableObject, { target }: ResourceKind): FitResult {
  return target.fit(object, undefined);
}

const refused = (error: string): FitResult => ({ error, unknownFields: [] });

function notText(field: string, value: unknown): string {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${field} of type string`;
}

/** A kind that is gone is still known; a version that is gone is not. */
function kindOf(object: MutableObject, { kind }: ResourceKind): GroupVersionKind | undefined {
  const name = String(object["kind"] || kind);
  if (!object["apiVersion"]) return { group: "", version: "", kind: name };
  const groupVersion = parseGroupVersion(String(object["apiVersion"]));
  return groupVersion && { ...groupVersion, kind: name };
}

/** Without a version it is taken for the server's own form of the object, which has fields of other names. */
function fitUnversioned(object: MutableObject, kind: ResourceKind): FitResult {
  const unknownFields = Object.keys(object).filter((field) => field !== "kind" && field !== "apiVersion");
  for (const field of unknownFields) delete object[field];
  object["apiVersion"] = apiVersionOf(kind);
  // What has no fields left still has those that a kind always has.
  return { ...kind.target.fit(object, undefined), unknownFields };
}

function fitOther(object: MutableObject, gvk: GroupVersionKind, kind: ResourceKind): FitResult {
  if (kind.target.isRegistered?.(gvk) === false) return refused(notRegistered(gvk));
  return refused(nativeTarget(gvk).fit(object, undefined).error ?? unknownConversion(gvk, kind));
}

/** Custom kinds have no types to be decoded into; their own rules say what is wrong with another kind. */
function fitCustom(object: MutableObject, kind: ResourceKind): FitResult {
  const { kind: found, apiVersion } = object;
  if (typeof found !== "string" || found === "")
    return refused(`Object 'Kind' is missing in '${stringifyJson(object)}'`);
  if (apiVersion === apiVersionOf(kind)) return fit(object, kind);
  return refused(
    `the API version in the data (${typeof apiVersion === "string" ? apiVersion : ""}, Kind=${found}) does not match the expected API version (${apiVersionOf(kind)}, Kind=${kind.kind})`,
  );
}

// A patch can touch what says of which kind an object is. What it leaves is decoded as kube-apiserver decodes it, which
// fills in less, and elsewhere, than one would think.

import { apiVersionOf, type GroupVersionKind, stringifyJson } from "@kubewright/api";
import {
  builtInDecoder,
  type MutableObject,
  type Normalization,
  notRegistered,
  parseGroupVersion,
  unknownConversion,
} from "@kubewright/machinery";
import type { ResourceKind } from "../registry/resource-kind.js";

/** Normalizes a patched object, in place; `isMerged` by server-side apply or a strategic merge. */
export function normalizePatched(
  object: MutableObject,
  kind: ResourceKind,
  isMerged: boolean,
): Normalization {
  const { kind: found = "", apiVersion = "" } = object;
  if (kind.custom) return normalizeCustom(object, kind, isMerged);
  if (found === kind.kind && apiVersion === apiVersionOf(kind)) return normalize(object, kind, isMerged);
  for (const [field, value] of Object.entries({ apiVersion, kind: found }))
    if (typeof value !== "string" && value !== null) return refused(notText(field, value));
  const gvk = kindOf(object, kind);
  if (gvk === undefined) return refused(`unexpected GroupVersion string: ${apiVersion}`);
  object["kind"] = gvk.kind;
  if (gvk.group === kind.group && gvk.version === kind.version && gvk.kind === kind.kind)
    return normalize(object, kind, isMerged);
  return gvk.version === "" ? normalizeUnversioned(object, kind) : refuseOther(object, gvk, kind);
}

function normalize(object: MutableObject, { decoder }: ResourceKind, isMerged: boolean): Normalization {
  return decoder.normalize(object, undefined, isMerged);
}

const refused = (error: string): Normalization => ({ error, unknownFields: [] });

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
function normalizeUnversioned(object: MutableObject, kind: ResourceKind): Normalization {
  const unknownFields = Object.keys(object).filter((field) => field !== "kind" && field !== "apiVersion");
  for (const field of unknownFields) delete object[field];
  object["apiVersion"] = apiVersionOf(kind);
  // An object without fields still gets those that its kind always has.
  return { ...kind.decoder.normalize(object, undefined), unknownFields };
}

function refuseOther(object: MutableObject, gvk: GroupVersionKind, kind: ResourceKind): Normalization {
  if (kind.decoder.isRegistered?.(gvk) === false) return refused(notRegistered(gvk, kind.group));
  return refused(builtInDecoder(gvk).normalize(object, undefined).error ?? unknownConversion(gvk, kind));
}

/** Custom kinds have no types to be decoded into; their own rules say what is wrong with another kind. */
function normalizeCustom(object: MutableObject, kind: ResourceKind, isMerged: boolean): Normalization {
  const { kind: found, apiVersion } = object;
  if (typeof found !== "string" || found === "")
    return refused(`Object 'Kind' is missing in '${stringifyJson(object)}'`);
  if (apiVersion === apiVersionOf(kind)) return kind.decoder.normalize(object, undefined, isMerged);
  return refused(
    `the API version in the data (${typeof apiVersion === "string" ? apiVersion : ""}, Kind=${found}) does not match the expected API version (${apiVersionOf(kind)}, Kind=${kind.kind})`,
  );
}

// Objects that `kubectl apply` managed on the client carry their last configuration in an annotation. Server-side apply
// by kubectl takes such objects over without conflicts, and keeps the annotation true for clients that go back.

import { isObject, ownValue, type TypeInfo } from "@kubewright/api";
import { parseJsonText } from "../codec/json/parse-json.js";
import type { JsonMap } from "../json-map.js";
import type { AnyObject } from "./apply-types.js";
import { compare } from "./compare.js";
import type { FieldSet } from "./field-set.js";
import { ListItemError } from "./list-item.js";
import { canonicalJson } from "./path-element.js";
import { toFieldSet } from "./to-field-set.js";
import { typeProblems } from "./validate-typed.js";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const maxAnnotationBytes = 256 * 1024;

/** The only field manager this applies to. */
export const kubectl = "kubectl";

/** The fields that still are as client-side apply left them; undefined when it did not manage the object. */
export function fieldsOfLastApplied(
  live: AnyObject,
  typeInfo: TypeInfo,
  apiVersion: string,
): FieldSet | undefined {
  const configuration = parseObject(lastAppliedOf(live));
  if (!configuration || ownValue(configuration, "apiVersion") !== apiVersion) return undefined;
  if (typeProblems(configuration, typeInfo)) return undefined;
  try {
    const { added, modified, removed } = compare(configuration, live, typeInfo);
    return toFieldSet(configuration, typeInfo).difference(modified).difference(added).difference(removed);
  } catch (error) {
    if (error instanceof ListItemError) return undefined;
    throw error;
  }
}

function parseObject(text: string | undefined): JsonMap | undefined {
  if (!text) return undefined;
  try {
    const value = parseJsonText(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function annotationsOf(object: AnyObject): JsonMap | undefined {
  const metadata = ownValue(object, "metadata");
  const annotations = isObject(metadata) ? ownValue(metadata, "annotations") : undefined;
  return isObject(annotations) ? annotations : undefined;
}

function lastAppliedOf(object: AnyObject): string | undefined {
  const value = ownValue(annotationsOf(object), annotation);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The object with its annotation saying what was just applied, if it has one. */
export function refreshLastApplied(object: AnyObject, applied: AnyObject): AnyObject {
  const current = lastAppliedOf(object);
  if (current === undefined) return object;
  const { [annotation]: _previous, ...others } = annotationsOf(object) ?? {};
  const value = `${canonicalJson(withoutLastApplied(applied))}\n`;
  if (value === current) return object;
  const fits = sizeOf(others) + annotation.length + Buffer.byteLength(value) <= maxAnnotationBytes;
  const annotations = fits ? { ...others, [annotation]: value } : others;
  return { ...object, metadata: { ...mapAt(object, "metadata"), annotations } };
}

function withoutLastApplied(applied: AnyObject): AnyObject {
  const annotations = annotationsOf(applied);
  if (ownValue(annotations, annotation) === undefined) return applied;
  const { [annotation]: _own, ...others } = annotations ?? {};
  const { annotations: _all, ...metadata } = mapAt(applied, "metadata");
  const kept = Object.keys(others).length > 0 ? { ...metadata, annotations: others } : metadata;
  return { ...applied, metadata: kept };
}

function mapAt(object: AnyObject, key: string): JsonMap {
  const value = ownValue(object, key);
  return isObject(value) ? value : {};
}

function sizeOf(annotations: JsonMap): number {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(typeof value === "string" ? value : "");
  }
  return size;
}

// JSON merge patch (RFC 7386), with the two liberties of the server's library: nulls are also dropped from objects
// inside new lists, and a null in the document counts as absent.
import { deepEqual, isObject, ownValue, setOwn } from "@kubewright/api";
import { copyMap, type JsonMap } from "../json-map.js";
import { badPatch, jsonType } from "./patch-error.js";

const maxDepth = 1000;

/**
 * Applies a merge patch (the decoded body); the document itself comes back when nothing changes. Throws an ApiError 400
 * when the patch is no object.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw notAnObject(patch);
  return isObject(document) ? mergeObjects(document, patch, 0) : withoutNulls(patch, 0);
}

function notAnObject(patch: unknown) {
  if (patch === null) return badPatch("Invalid JSON Patch");
  return badPatch(
    `error decoding patch: json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`,
  );
}

function mergeObjects(document: JsonMap, patch: JsonMap, depth: number): JsonMap {
  checkDepth(depth);
  let merged: Record<string, unknown> | undefined;
  for (const key of Object.keys(patch)) {
    const before = ownValue(document, key);
    const change = patch[key];
    const after = isContainer(change) ? mergeValues(before, change, depth) : replaced(before, change);
    if (after === before) continue;
    merged ??= copyMap(document);
    if (after === undefined) delete merged[key];
    else setOwn(merged, key, after);
  }
  return merged ?? document;
}

function mergeValues(before: unknown, patch: object, depth: number): unknown {
  if (isObject(before)) return isObject(patch) ? mergeObjects(before, patch, depth + 1) : patch;
  const after = withoutNulls(patch, depth + 1);
  return deepEqual(before, after) ? before : after;
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The result where the patch has a scalar. Undefined: the key is removed. */
function replaced(before: unknown, patch: unknown): unknown {
  if (patch === undefined) return before;
  return patch === null ? undefined : patch;
}

function withoutNulls(value: unknown, depth: number): unknown {
  checkDepth(depth);
  if (Array.isArray(value)) return mapItems(value, (item) => withoutNulls(item, depth + 1));
  if (!isObject(value)) return value;
  let pruned: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const before = value[key];
    const after = before === null ? undefined : withoutNulls(before, depth + 1);
    if (after === before) continue;
    pruned ??= copyMap(value);
    if (after === undefined) delete pruned[key];
    else setOwn(pruned, key, after);
  }
  return pruned ?? value;
}

/** The list itself when no item changes. */
function mapItems(list: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const mapped = list.map(map);
  return mapped.every((item, index) => item === list[index]) ? list : mapped;
}

function checkDepth(depth: number): void {
  if (depth > maxDepth) throw badPatch("error decoding patch: exceeded max depth");
}

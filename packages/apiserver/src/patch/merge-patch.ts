// JSON merge patch (RFC 7386), with the two liberties of the server's library: nulls are also dropped from objects
// inside new lists, and a null in the document counts as absent.
import { Pace } from "@kubewright/api/steps";
import {
  copyAtOnce,
  copyingSteps,
  copyMap,
  equalingSteps,
  equalJson,
  getOwn,
  isMap,
  type JsonMap,
  setOwn,
} from "../apply/json-value.js";
import { LongValues } from "../codec/count-values.js";
import { takeKeys } from "../codec/json/listed-keys.js";
import { badPatch, jsonType } from "./patch-error.js";

const maxDepth = 1000;

/**
 * Applies a merge patch (the decoded body); the document itself comes back when nothing changes. Throws an ApiError 400
 * when the patch is no object.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  return mergePatchSteps(document, patch);
}

/** Members that are merged in less than a millisecond. */
const fewMembers = 500;

/** The same step by step, so that whoever runs it can pause in between. `few` has no bound where the patch is known to be short. */
export function mergePatchSteps(document: unknown, patch: unknown, few = fewMembers): unknown {
  if (!isMap(patch)) throw notAnObject(patch);
  const merge = new MergePatch(few);
  return isMap(document) ? merge.objects(document, patch, 0) : merge.withoutNulls(patch, 0);
}

function notAnObject(patch: unknown) {
  if (patch === null) return badPatch("Invalid JSON Patch");
  return badPatch(
    `error decoding patch: json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`,
  );
}

/** One patch being applied. */
class MergePatch {
  readonly #few: number;
  readonly #pace: Pace;
  readonly #long: LongValues;

  constructor(few: number) {
    this.#few = few;
    this.#pace = new Pace(few);
    this.#long = new LongValues(few);
  }

  objects(document: JsonMap, patch: JsonMap, depth: number): JsonMap {
    checkDepth(depth);
    let merged: Record<string, unknown> | undefined;
    const keys = takeKeys(patch);

    for (const key of keys) {
      const before = getOwn(document, key);
      const change = patch[key];
      const after = isContainer(change) ? this.#merged(before, change, depth) : replaced(before, change);
      if (after === before) continue;
      merged ??= copyAtOnce(document) ?? copyingSteps(document);
      if (after === undefined) delete merged[key];
      else setOwn(merged, key, after);
    }
    return merged ?? document;
  }

  #merged(before: unknown, patch: object, depth: number): unknown {
    if (isMap(before)) return isMap(patch) ? this.objects(before, patch, depth + 1) : patch;
    if (!this.#isLong(patch)) return kept(before, withoutNulls(patch, depth + 1));
    const after = this.withoutNulls(patch, depth + 1);
    return equalingSteps(before, after) ? before : after;
  }

  #isLong(value: object): boolean {
    return Number.isFinite(this.#few) && this.#long.isLong(value);
  }

  /** In steps where it is long, else at once. */
  withoutNulls(value: object, depth: number): unknown {
    if (!this.#isLong(value)) return withoutNulls(value, depth);

    if (isMap(value)) return this.objects({}, value, depth);
    checkDepth(depth);
    const items: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      items.push(isContainer(item) ? this.withoutNulls(item, depth + 1) : item);
    }
    return items;
  }
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What becomes of a value the patch has a scalar for. Undefined: the key goes. */
function replaced(before: unknown, patch: unknown): unknown {
  if (patch === undefined) return before;
  return patch === null ? undefined : patch;
}

const kept = (before: unknown, after: unknown): unknown => (equalJson(before, after) ? before : after);

function withoutNulls(value: unknown, depth: number): unknown {
  checkDepth(depth);
  if (Array.isArray(value)) return mapItems(value, (item) => withoutNulls(item, depth + 1));
  if (!isMap(value)) return value;
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

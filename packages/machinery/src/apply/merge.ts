// Merges an applied configuration into the live object. Whatever does not change is the live object's own, down to the
// whole object, so that the caller sees by reference what happened.
import { deepEqual, isObject, type ListInfo, ownValue, setOwn, type TypeInfo } from "@kubewright/api";
import { copyMap, isEmptyMap, type JsonMap } from "../json-map.js";
import { pairItems } from "./list-order.js";
import { associative, isAtomicMap, structureOf, typeInfoAt } from "./type-structure.js";

/** The live value with everything the applied one says. Nothing is removed. Throws ListItemError. */
export function merge(live: unknown, applied: unknown, typeInfo: TypeInfo): unknown {
  if (applied === undefined || live === applied) return live;
  if (live === undefined) return applied;
  const structure = structureOf(typeInfo, applied);
  if (structure === "map") return mergeMaps(live, applied, typeInfo);
  return structure === "list" ? mergeLists(live, applied, typeInfo) : choose(live, applied);
}

/** The applied value, or the live one when they are equal. */
const choose = (live: unknown, applied: unknown) => (deepEqual(live, applied) ? live : applied);

function mergeMaps(live: unknown, applied: unknown, typeInfo: TypeInfo): unknown {
  const left = isObject(live) ? live : undefined;
  const right = isObject(applied) ? applied : undefined;
  const nothing = (!left || isEmptyMap(left)) && (!right || isEmptyMap(right));
  if (nothing || isAtomicMap(typeInfo)) return choose(live, applied);
  if (!left) return right;
  return right ? mergeFields(left, right, typeInfo) : left;
}

function mergeFields(left: JsonMap, right: JsonMap, typeInfo: TypeInfo): JsonMap {
  let merged: Record<string, unknown> | undefined;
  for (const key of Object.keys(right)) {
    const live = ownValue(left, key);
    const value = merge(live, right[key], typeInfoAt(typeInfo, key));
    if (value === live) continue;
    merged ??= copyMap(left);
    setOwn(merged, key, value);
  }
  return merged ?? left;
}

function mergeLists(live: unknown, applied: unknown, typeInfo: TypeInfo): unknown {
  const left: readonly unknown[] = Array.isArray(live) ? live : [];
  const right: readonly unknown[] = Array.isArray(applied) ? applied : [];
  const list = associative(typeInfo);
  if (!list || (left.length === 0 && right.length === 0)) return choose(live, applied);
  if (right.length === 0) return live;
  return left.length === 0 ? applied : mergeItems(left, right, list);
}

function mergeItems(left: readonly unknown[], right: readonly unknown[], list: ListInfo): readonly unknown[] {
  const merged = pairItems(left, right, list).map(({ live, applied }) => merge(live, applied, list.item));
  const unchanged = merged.length === left.length && merged.every((item, index) => item === left[index]);
  return unchanged ? left : merged;
}

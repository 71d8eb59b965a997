// Lists under a strategic merge patch: items merge by their key (or, for scalars, are a set), and stand in the order of
// the patch with the live ones woven in where they stood.
import { goType, isObject, ownValue } from "@kubewright/api";
import { goValue } from "../go-format.js";
import type { JsonMap } from "../json-map.js";
import { patchDoesNotApply, patchFailed } from "./patch-error.js";
import { directiveIn, setOrderPrefix, unknownDirective, withoutDirectives } from "./strategic-directives.js";

type List = readonly unknown[];

/** How the items of a list merge. */
export interface ListRules {
  /** False: the patch replaces the list. */
  readonly merges: boolean;
  readonly mergeKey: string | undefined;
  mergeItems(live: JsonMap, patch: JsonMap): JsonMap;
}

/** Merges a patched list into the live one. */
export function mergeStrategicLists(live: List, patch: List, rules: ListRules): List {
  if (live.length === 0 && patch.length === 0) return live;
  if (checkItemType(live, patch) === "scalar")
    return interleave([...new Set([...live, ...patch])], live, patch);
  const { mergeKey } = rules;
  if (mergeKey === undefined) throw patchFailed("cannot merge lists without merge key for type struct");
  const { remaining, changes } = applyItemDirectives(live, patch, mergeKey);
  const merged = mergeByKey(remaining, changes, mergeKey, rules);
  return interleave(merged, remaining, changes, mergeKey);
}

/** All items must be of one type, and no lists. */
function checkItemType(...lists: readonly List[]): "map" | "scalar" {
  let type: string | undefined;
  for (const item of lists.flat()) {
    const itsType = goType(item);
    if (itsType === "[]interface {}") throw patchDoesNotApply("lists of lists are not supported");
    type ??= itsType;
    if (itsType === type && item !== null) continue;
    throw patchFailed(`list element types are not identical: ${goValue(lists)}`);
  }
  if (type === undefined) throw patchFailed("no elements in any of the given slices");
  return type === "map[string]interface {}" ? "map" : "scalar";
}

/** Carries out `$patch` items: what is left of the live list, and of the patch. */
function applyItemDirectives(
  live: List,
  patch: List,
  mergeKey: string,
): { remaining: List; changes: readonly JsonMap[] } {
  const changes: JsonMap[] = [];
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const item of patch) {
    if (!isObject(item)) continue;
    const directive = directiveIn(item);
    if (directive === undefined) changes.push(item);
    else if (directive === "delete") deleted.add(keyOf(item, mergeKey));
    else if (directive === "replace") replaces = true;
    else if (directive === "merge") throw patchFailed("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive, item);
  }
  if (replaces) return { remaining: changes, changes: [] };
  const remaining =
    deleted.size === 0
      ? live
      : live.filter((item) => !isObject(item) || !deleted.has(ownValue(item, mergeKey)));
  return { remaining, changes };
}

function mergeByKey(live: List, changes: readonly JsonMap[], mergeKey: string, rules: ListRules): List {
  const merged = [...live];
  const places = new Map<unknown, number>();
  for (const [index, item] of live.entries()) {
    const key = isObject(item) ? ownValue(item, mergeKey) : undefined;
    if (key !== undefined && !places.has(key)) places.set(key, index);
  }
  for (const change of changes) {
    const key = keyOf(change, mergeKey);
    const place = places.get(key);
    const existing = place === undefined ? undefined : merged[place];
    if (place !== undefined && isObject(existing)) merged[place] = rules.mergeItems(existing, change);
    else places.set(key, merged.push(change) - 1);
  }
  return merged;
}

function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) {
    const type = item === null ? "%!s(<nil>)" : goType(item);
    throw patchFailed(`expected a map[string]interface {}, but received a ${type}`);
  }
  const key = ownValue(item, mergeKey);
  if (key !== undefined) return key;
  throw patchFailed(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
}

/** Puts merged items into the order of the patch; the others go before the item they stood before in the live list. */
function interleave(merged: List, live: List, patch: List, mergeKey?: string): List {
  const identify = (item: unknown) => (mergeKey === undefined ? item : keyOf(item, mergeKey));
  const livePlaces = placesOf(live, identify);
  const patchPlaces = placesOf(patch, identify);
  const patched = sortBy(merged, patchPlaces, identify);
  const liveOnly = sortBy(
    merged.filter((item) => !patchPlaces.has(identify(item))),
    livePlaces,
    identify,
  );
  const result: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    const place = livePlaces.get(identify(item));
    while (place !== undefined && next < liveOnly.length) {
      const other = livePlaces.get(identify(liveOnly[next]));
      if (other === undefined || other > place) break;
      result.push(liveOnly[next++]);
    }
    result.push(item);
  }
  return [...result, ...liveOnly.slice(next)];
}

function placesOf(list: List, identify: (item: unknown) => unknown): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const identity = identify(item);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
}

/** The items that have a place, in the order of their places. */
function sortBy(
  list: List,
  places: ReadonlyMap<unknown, number>,
  identify: (item: unknown) => unknown,
): List {
  return list
    .map((item) => ({ item, place: places.get(identify(item)) ?? -1 }))
    .filter(({ place }) => place >= 0)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** Merges a list and puts it into a stated order; undefined when there is no list at all. */
export function orderBy(
  live: List | undefined,
  patch: List | undefined,
  order: List,
  rules: ListRules,
): List | undefined {
  checkOrder(patch ?? [], order, rules.mergeKey);
  if (!live && !patch) return undefined;
  const merged = mergeForOrder(live, patch, rules);
  const type = checkItemType(live ?? [], patch ?? []);
  return interleave(merged, live ?? [], order, type === "map" ? rules.mergeKey : undefined);
}

function mergeForOrder(live: List | undefined, patch: List | undefined, rules: ListRules): List {
  if (!patch) return live ?? [];
  if (live && rules.merges) return mergeStrategicLists(live, patch, rules);
  const added = withoutDirectives(patch);
  return !live && Array.isArray(added) ? added : patch;
}

/** Every item of the patch must be in the stated order, in that order. */
function checkOrder(patch: List, order: List, mergeKey: string | undefined): void {
  if (patch.length === 0 || order.length === 0) return;
  const identify = (item: unknown) => (mergeKey === undefined ? item : keyOf(item, mergeKey));
  const expected = patch.filter((item) => !isObject(item) || directiveIn(item) === undefined);
  let next = 0;
  for (const item of order) {
    if (next < expected.length && identify(expected[next]) === identify(item)) next++;
  }
  if (next < expected.length) {
    throw patchFailed(
      `The order in patch list:\n${goValue(patch)}\n doesn't match ${setOrderPrefix} list:\n${goValue(order)}\n`,
    );
  }
}

// The identity of items in associative lists.
import { goQuote, isObject, type ListInfo, ownValue } from "@kubewright/api";
import { compareText } from "../go-format.js";
import type { JsonMap } from "../json-map.js";
import { keyElement, type PathElement, valueElement } from "./path-element.js";

/** A list item that its type does not allow. */
export class ListItemError extends Error {
  override readonly name = "ListItemError";
}

/** Equal for items exactly when their path elements are, and cheaper to come by. */
export type ItemIdentity = string | number | boolean;

/** The identity of an item in its list. Throws ListItemError. */
export function itemIdentity(list: ListInfo, item: unknown): ItemIdentity {
  const keyed = list.listType === "map" && list.keys.length > 0;
  const value =
    keyed && list.keys.length === 1 && isObject(item) ? keyValue(list, item, list.keys[0] ?? "") : item;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    if (!keyed || isObject(item)) return value;
  }
  return itemElement(list, item);
}

/** The path element of an item. Throws ListItemError. */
export function itemElement(list: ListInfo, item: unknown): PathElement {
  return list.listType === "map" && list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function setElement(item: unknown): PathElement {
  if (item === null) {
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) throw new ListItemError("not supported: associative list with lists as elements");
  if (isObject(item))
    throw new ListItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

function keyedElement(list: ListInfo, item: unknown): PathElement {
  if (item === null) throw new ListItemError("associative list with keys may not have a null element");
  if (!isObject(item)) throw new ListItemError("associative list with keys may not have non-map elements");
  const [first = ""] = list.keys;
  const value = list.keys.length === 1 ? keyValue(list, item, first) : undefined;
  return value === undefined ? compoundElement(list, item) : keyElement([[first, value]]);
}

function compoundElement(list: ListInfo, item: JsonMap): PathElement {
  const pairs: [string, unknown][] = [];
  for (const key of list.keys) {
    const value = keyValue(list, item, key);
    if (value !== undefined) pairs.push([key, value]);
  }
  if (pairs.length === 0) throw new ListItemError(omitsKeys(list.keys));
  if (pairs.length > 1) pairs.sort(([a], [b]) => compareText(a, b));
  return keyElement(pairs);
}

function keyValue(list: ListInfo, item: JsonMap, key: string): unknown {
  const value = ownValue(item, key);
  if (value !== undefined || list.item.kind !== "struct") return value;
  return list.item.fields.get(key)?.default ?? undefined;
}

const omitsKeys = (keys: readonly string[]) =>
  `associative list with keys has an element that omits all key fields [${keys.map(goQuote).join(" ")}] ` +
  "(and doesn't have default values for any key fields)";

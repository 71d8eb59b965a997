// Lists: a JSON array or a list an expression built (both JavaScript arrays), or a list seen through a schema.
import { adapt } from "./json.js";
import type { Meter } from "./meter.js";
import { ListView, MapView } from "./view.js";

/** Every form a list has. */
export type AnyList = readonly unknown[] | ListView;

/** Whether a value is a list in any form. */
export function isList(value: unknown): value is AnyList {
  return Array.isArray(value) || value instanceof ListView;
}

/** The number of elements of a list. */
export function listSize(list: AnyList): number {
  return list instanceof ListView ? list.json.length : list.length;
}

/** The element at a place that exists. */
export function listGet(list: AnyList, index: number): unknown {
  return list instanceof ListView ? list.get(index) : adapt(list[index]);
}

/** The elements as CEL values. */
export function listValues(list: AnyList, meter: Meter): unknown[] {
  meter.work(listSize(list));
  return list instanceof ListView ? list.json.map((item) => list.element.read(item)) : list.map(adapt);
}

/** `a + b`. Sets become a union, `map` lists are merged by key, anything else is put in a row. */
export function concat(a: AnyList, b: AnyList, meter: Meter): AnyList {
  meter.work(listSize(a) + listSize(b));
  if (a instanceof ListView) {
    const json = b instanceof ListView ? b.json : b.map(jsonOf);
    // Times and the like that an expression made have no JSON to be read from.
    if (json.includes(undefined)) return [...listValues(a, meter), ...listValues(b, meter)];
    return new ListView(merge(a, json), a.element, a.mode);
  }
  if (b instanceof ListView) return [...a, ...listValues(b, meter)];
  if (a.length === 0) return b;
  return b.length === 0 ? a : [...a, ...b];
}

/** The JSON behind a value that came as JSON. */
function jsonOf(value: unknown): unknown {
  if (value instanceof MapView || value instanceof ListView) return value.json;
  return typeof value === "object" && value !== null ? undefined : value;
}

function merge(a: ListView, b: readonly unknown[]): readonly unknown[] {
  if (a.mode.kind === "atomic") return [...a.json, ...b];
  const merged = [...a.json];
  const places = new Map(merged.map((item, index) => [a.keyOf(item), index]));
  for (const item of b) {
    const key = a.keyOf(item);
    const place = places.get(key);
    if (place === undefined) places.set(key, merged.push(item) - 1);
    else merged[place] = item;
  }
  return merged;
}

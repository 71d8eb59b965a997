// Equality and order. Numbers are equal across types when their values are; anything else of different type is just not equal.
import { deepEqual, stringifyJson } from "@kubewright/api";
import { noSuchOverload } from "./failure.js";
import { Double, isInt, Uint } from "./int.js";
import { adapt } from "./json.js";
import { type AnyList, isList, listGet, listSize } from "./list.js";
import { type AnyMap, mapGet, mapKeys, mapSize, stepsPerKey } from "./map.js";
import type { Meter } from "./meter.js";
import { OpaqueValue } from "./opaque.js";
import { Optional } from "./optional.js";
import { Duration, Timestamp } from "./temporal.js";
import { isMap } from "./value.js";
import { ListView, MapView } from "./view.js";

/** `a == b`. */
export function equals(a: unknown, b: unknown, meter: Meter): boolean {
  if (a === b) return true;
  // Two different numbers may still be an int and a boxed double; other primitives are equal only when identical.
  if (typeof a !== "object" && typeof b !== "object") return false;
  const x = numeric(a);
  if (x !== undefined) {
    const y = numeric(b);
    // JavaScript compares numbers and bigints by value; NaN is equal to nothing.
    // biome-ignore lint/suspicious/noDoubleEquals: the two may be number and bigint
    return y !== undefined && x == y;
  }
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  return equalObjects(a, b, meter);
}

function numeric(value: unknown): number | bigint | undefined {
  if (isInt(value)) return value;
  return value instanceof Double || value instanceof Uint ? value.value : undefined;
}

function equalObjects(a: object, b: object, meter: Meter): boolean {
  if (isList(a)) return isList(b) && equalLists(a, b, meter);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof OpaqueValue) return b instanceof OpaqueValue && a.typeName === b.typeName && a.equals(b);
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b, meter);
  return isMap(a) && isMap(b) && equalMaps(a, b, meter);
}

function equalOptionals(a: Optional, b: Optional, meter: Meter): boolean {
  if (!a.hasValue || !b.hasValue) return a.hasValue === b.hasValue;
  return equals(a.value, b.value, meter);
}

function equalLists(a: AnyList, b: AnyList, meter: Meter): boolean {
  const size = listSize(a);
  if (size !== listSize(b)) return false;
  meter.work(size + 1);
  if (a instanceof ListView && a.mode.kind !== "atomic") return equalByKey(a, b, meter);
  if (Array.isArray(a) && Array.isArray(b)) return equalArrays(a, b, meter);
  for (let index = 0; index < size; index += 1) {
    if (!equals(listGet(a, index), listGet(b, index), meter)) return false;
  }
  return true;
}

function equalArrays(a: readonly unknown[], b: readonly unknown[], meter: Meter): boolean {
  for (let index = 0; index < a.length; index += 1) {
    if (a[index] !== b[index] && !equals(adapt(a[index]), adapt(b[index]), meter)) return false;
  }
  return true;
}

/** Sets and `map` lists are equal whatever their order. */
function equalByKey(a: ListView, b: AnyList, meter: Meter): boolean {
  const mine = new Map(a.json.map((item) => [a.keyOf(item), item]));
  const theirs = b instanceof ListView ? b.json : b;
  return theirs.every((item) => {
    const key = a.keyOf(item);
    if (!mine.has(key)) return false;
    return a.mode.kind === "set" || equals(a.element.read(mine.get(key)), a.element.read(item), meter);
  });
}

/** Comparing two maps takes as long as enumerating keys so many times. */
const enumerations = 6;

function equalMaps(a: AnyMap, b: AnyMap, meter: Meter): boolean {
  const size = mapSize(a);
  if (size !== mapSize(b)) return false;
  meter.work((size + 1) * stepsPerKey * enumerations);
  if (a instanceof MapView && b instanceof MapView && !equalUnknown(a, b, meter)) return false;
  return mapKeys(a).every((key) => {
    const value = mapGet(a, key);
    const other = mapGet(b, key);
    // A field that is null has a key and no value.
    if (value === undefined || other === undefined) return value === other;
    return equals(value, other, meter);
  });
}

/** Properties the schema does not know cannot be read by rules; they are compared as they are. */
function equalUnknown(a: MapView, b: MapView, meter: Meter): boolean {
  return Object.keys(a.json).every((property) => {
    if (a.shape.key(property) !== undefined || !Object.hasOwn(b.json, property)) return true;
    meter.work(stringifyJson(a.json[property]).length);
    return deepEqual(a.json[property], b.json[property]);
  });
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** By code points, which is how Go orders strings (their UTF-8 bytes have the same order). */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    // Surrogates stand for code points beyond all others.
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Negative, zero or positive; NaN when one is NaN. Fails for what has no order. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const x = numeric(a) ?? temporal(a, b);
  const y = numeric(b) ?? temporal(b, a);
  if (x !== undefined && y !== undefined) {
    if (x < y) return -1;
    // biome-ignore lint/suspicious/noDoubleEquals: the two may be number and bigint
    if (x == y) return 0;
    return x > y ? 1 : Number.NaN;
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw noSuchOverload();
}

/** A count that orders the value among those of its own type. */
function temporal(value: unknown, other: unknown): bigint | undefined {
  if (value instanceof Timestamp && other instanceof Timestamp) return value.total;
  return value instanceof Duration && other instanceof Duration ? value.nanos : undefined;
}

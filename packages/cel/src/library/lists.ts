// The list functions Kubernetes added: `isSorted`, `sum`, `min` and so on.
import { declare, type Invoke, type Library, memberOverload } from "../declarations.js";
import {
  type AnyList,
  type Guard,
  type Int,
  isAny,
  isDouble,
  isDuration,
  isInt,
  isList,
  isListOf,
  isUint,
  on1,
  on2,
} from "../guards.js";
import {
  boolType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  paramType,
  uintType,
} from "../types.js";
import { compare, equals } from "../values/equality.js";
import { CelFailure, noSuchOverload } from "../values/failure.js";
import { addInt, addUint, Double, uint } from "../values/int.js";
import { listGet, listSize, listValues } from "../values/list.js";
import type { Meter } from "../values/meter.js";
import { Duration } from "../values/temporal.js";
import { ofComparable } from "./comparable-lists.js";
import { visitsSubject } from "./prices.js";

function isSorted(list: AnyList): boolean {
  for (let index = 1; index < listSize(list); index += 1) {
    if (compare(listGet(list, index - 1), listGet(list, index)) > 0) return false;
  }
  return true;
}

function extreme(name: string, isBetter: (comparison: number) => boolean) {
  return (list: AnyList, meter: Meter): unknown => {
    const [first, ...rest] = listValues(list, meter);
    if (first === undefined) throw new CelFailure(`${name} called on empty list`);
    return rest.reduce((best, item) => (isBetter(compare(item, best)) ? item : best), first);
  };
}

function sumOf<T>(type: CelType, guard: Guard<T>, zero: T, plus: (a: T, b: T) => T) {
  const invoke: Invoke = on1(isListOf(guard), (list, meter) =>
    listValues(list, meter).reduce<T>((total, item) => {
      if (!guard(item)) throw noSuchOverload();
      return plus(total, item);
    }, zero),
  );
  return memberOverload(`list_${type.kind}_sum_${type.kind}`, [listType(type)], type, invoke, visitsSubject);
}

function position(list: AnyList, item: unknown, meter: Meter): number {
  for (let index = 0; index < listSize(list); index += 1) {
    if (equals(listGet(list, index), item, meter)) return index;
  }
  return -1;
}

function lastPosition(list: AnyList, item: unknown, meter: Meter): number {
  for (let index = listSize(list) - 1; index >= 0; index -= 1) {
    if (equals(listGet(list, index), item, meter)) return index;
  }
  return -1;
}

const anything = paramType("T");
const list = listType(anything);

/** The functions Kubernetes added to lists. */
export const kubernetesListLibrary: Library = {
  functions: [
    ofComparable("isSorted", "is_sorted_bool", () => boolType, isSorted, visitsSubject),
    ofComparable(
      "max",
      "max",
      (type) => type,
      extreme("max", (comparison) => comparison > 0),
      visitsSubject,
    ),
    ofComparable(
      "min",
      "min",
      (type) => type,
      extreme("min", (comparison) => comparison < 0),
      visitsSubject,
    ),
    declare(
      "sum",
      sumOf<Int>(intType, isInt, 0, addInt),
      sumOf(uintType, isUint, uint(0n), addUint),
      sumOf(doubleType, isDouble, new Double(0), (a, b) => new Double(a.value + b.value)),
      sumOf(durationType, isDuration, new Duration(0n), (a, b) => new Duration(a.nanos + b.nanos)),
    ),
    declare(
      "indexOf",
      memberOverload(
        "list_a_index_of_int",
        [list, anything],
        intType,
        on2(isList, isAny, position),
        visitsSubject,
      ),
    ),
    declare(
      "lastIndexOf",
      memberOverload(
        "list_a_last_index_of_int",
        [list, anything],
        intType,
        on2(isList, isAny, lastPosition),
        visitsSubject,
      ),
    ),
  ],
};

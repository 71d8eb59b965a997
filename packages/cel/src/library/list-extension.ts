// CEL's own list extension: `slice`, `flatten`, `distinct`, `sort` and so on.
import { type CallSite, fixed, multiply, type Range } from "../cost.js";
import { type Costs, declare, globalOverload, type Library, memberOverload } from "../declarations.js";
import {
  type AnyList,
  type Int,
  isBytes,
  isInt,
  isList,
  isListOf,
  isString,
  on1,
  on2,
  on3,
} from "../guards.js";
import { dynType, intType, listType, paramType } from "../types.js";
import { compare, equals } from "../values/equality.js";
import { CelFailure } from "../values/failure.js";
import { listGet, listSize, listValues } from "../values/list.js";
import type { Meter } from "../values/meter.js";
import { comparable, ofComparable } from "./comparable-lists.js";
import { argSize, listCallEstimate, listCallPrice, subjectSize } from "./prices.js";

const list = listType(paramType("T"));

function slice(from: AnyList, start: Int, end: Int, meter: Meter): unknown[] {
  const [first, last] = [Number(start), Number(end)];
  if (first < 0 || last < 0)
    throw new CelFailure(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (first > last) {
    throw new CelFailure(
      `cannot slice(${start}, ${end}), start index must be less than or equal to end index`,
    );
  }
  if (listSize(from) < last)
    throw new CelFailure(`cannot slice(${start}, ${end}), list is length ${listSize(from)}`);
  meter.work(last - first);
  return Array.from({ length: last - first }, (_, index) => listGet(from, first + index));
}

function flatten(from: AnyList, depth: Int, meter: Meter): unknown[] {
  if (depth < 0) throw new CelFailure("level must be non-negative");
  const flat: unknown[] = [];
  for (const item of listValues(from, meter)) {
    if (isList(item) && depth > 0)
      for (const inner of flatten(item, Number(depth) - 1, meter)) flat.push(inner);
    else flat.push(item);
  }
  return flat;
}

const maxRange = 10_000_000;

function range(count: Int, meter: Meter): number[] {
  const size = Number(count);
  if (size < 0) throw new CelFailure(`lists.range: size must be non-negative, got ${count}`);
  if (size > maxRange)
    throw new CelFailure(`lists.range: size ${count} exceeds maximum allowed (${maxRange})`);
  // Memory is taken before the cost is known; the meter comes first.
  meter.work(size);
  return Array.from({ length: size }, (_, index) => index);
}

function distinct(from: AnyList, meter: Meter): unknown[] {
  const unique: unknown[] = [];
  for (const item of listValues(from, meter)) {
    meter.work(unique.length);
    if (!unique.some((other) => equals(item, other, meter))) unique.push(item);
  }
  return unique;
}

function sortBy(items: AnyList, keys: AnyList, meter: Meter): unknown[] {
  const order = listValues(keys, meter);
  const [first] = order;
  if (order.some((key) => typeof key !== typeof first)) {
    throw new CelFailure("list elements must have the same type");
  }
  const places = order.map((_, index) => index).sort((a, b) => compare(order[a], order[b]) || a - b);
  meter.work(places.length * 4);
  return places.map((place) => listGet(items, place));
}

/** As long as what it returns. */
const makesResult: Costs = {
  cost: (_args, result) => listCallPrice(Array.isArray(result) ? result.length : 0, 1),
};

const sliceCosts: Costs = {
  ...makesResult,
  estimate(call) {
    const start = call.args[0]?.literalInt ?? 0;
    const end = call.args[1]?.literalInt ?? subjectSize(call).max;
    return listCallEstimate(fixed(Math.max(0, end - start)), 1);
  },
};

const rangeCosts: Costs = {
  ...makesResult,
  estimate: (call) => listCallEstimate(fixed(call.args[0]?.literalInt ?? 2 ** 64), 1),
};

const flattenCosts: Costs = {
  cost: ([from, depth]) => listCallPrice(isList(from) ? listSize(from) : 0, isInt(depth) ? Number(depth) : 1),
  estimate(call) {
    const depth = call.args.length === 0 ? 1 : (call.args[0]?.literalInt ?? 2 ** 64);
    return listCallEstimate(subjectSize(call), depth);
  },
};

const isText = (value: unknown): boolean => isString(value) || isBytes(value);
const selfCompareFactor = (text: boolean): number => (text ? 2.1 : 2);

/** Every element is compared with every other. */
function selfComparePrice(items: unknown): number {
  if (!isList(items) || listSize(items) === 0) return listCallPrice(0, 2);
  return listCallPrice(listSize(items) ** 2, selfCompareFactor(isText(listGet(items, 0))));
}

const selfCompareEstimate = (size: Range, text: boolean) =>
  listCallEstimate(multiply(size, size), selfCompareFactor(text));

const distinctCosts: Costs = {
  cost: ([items]) => selfComparePrice(items),
  estimate: (call) => selfCompareEstimate(subjectSize(call), false),
};

const sortCosts: Costs = {
  cost: ([items]) => selfComparePrice(items),
  estimate: (call: CallSite) => selfCompareEstimate(subjectSize(call), call.target?.element?.isText ?? false),
};

const sortByKeys = comparable.map(({ type, guard }) =>
  memberOverload(
    `list_${type.kind}_sortByAssociatedKeys`,
    [list, listType(type)],
    list,
    on2(isList, isListOf(guard), sortBy),
    {
      cost: ([, keys]) => selfComparePrice(keys),
      estimate: (call) =>
        selfCompareEstimate(argSize(call, 0), type.kind === "string" || type.kind === "bytes"),
    },
  ),
);

/** CEL's list extension, which Kubernetes has since 1.34. */
export const listExtensionLibrary: Library = {
  functions: [
    declare(
      "slice",
      memberOverload(
        "list_slice",
        [list, intType, intType],
        list,
        on3(isList, isInt, isInt, slice),
        sliceCosts,
      ),
    ),
    declare(
      "flatten",
      memberOverload(
        "list_flatten",
        [listType(list)],
        list,
        on1(isList, (from, meter) => flatten(from, 1, meter)),
        flattenCosts,
      ),
      memberOverload(
        "list_flatten_int",
        [listType(dynType), intType],
        listType(dynType),
        on2(isList, isInt, flatten),
        flattenCosts,
      ),
    ),
    declare(
      "lists.range",
      globalOverload("lists_range", [intType], listType(intType), on1(isInt, range), rangeCosts),
    ),
    declare(
      "reverse",
      memberOverload(
        "list_reverse",
        [list],
        list,
        on1(isList, (from, meter) => listValues(from, meter).reverse()),
        {
          ...makesResult,
          estimate: (call) => listCallEstimate(subjectSize(call), 1),
        },
      ),
    ),
    declare("distinct", memberOverload("list_distinct", [list], list, on1(isList, distinct), distinctCosts)),
    ofComparable("sort", "sort", listType, (from, meter) => sortBy(from, from, meter), sortCosts),
    declare("@sortByAssociatedKeys", ...sortByKeys),
  ],
};

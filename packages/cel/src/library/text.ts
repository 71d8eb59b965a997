// The functions of standard CEL on texts, lists and maps.
import { type CallSite, multiply, price, scale } from "../cost.js";
import { declare, globalOverload, type Library, memberOverload, type Overload } from "../declarations.js";
import { type AnyList, type Guard, isAny, isBytes, isList, isMap, isString, on1, on2 } from "../guards.js";
import { evaluatedRegex, requireRegex } from "../regex.js";
import {
  boolType,
  bytesType,
  type CelType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  paramType,
  stringType,
} from "../types.js";
import { equals } from "../values/equality.js";
import { noSuchOverload } from "../values/failure.js";
import { listGet, listSize } from "../values/list.js";
import { type AnyMap, mapGet, mapSize, stepsPerKey } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { sizeOf } from "../values/value.js";
import { codePointLength } from "./code-points.js";
import { argSize, searchEstimate, searchPrice, subjectSize, traversal } from "./prices.js";

const list = listType(paramType("A"));
const map = mapType(paramType("A"), paramType("B"));

function sizes<T>(
  type: CelType,
  guard: Guard<T>,
  size: (value: T, meter: Meter) => number,
): readonly Overload[] {
  const invoke = on1(guard, size);
  return [
    globalOverload(`size_${type.kind}`, [type], intType, invoke),
    memberOverload(`${type.kind}_size`, [type], intType, invoke),
  ];
}

/** Counting the entries of a map takes a step per entry. */
function countEntries(value: AnyMap, meter: Meter): number {
  const size = mapSize(value);
  meter.work(size * stepsPerKey);
  return size;
}

const ofText = [stringType, stringType];

/** Estimated by what is searched for; spent by what is searched in. */
const affix = {
  cost: ([text]: readonly unknown[]) => traversal(text),
  estimate: (call: CallSite) => ({ cost: scale(argSize(call, 0), price.traversal) }),
};

const contains = {
  cost: ([text, part]: readonly unknown[]) => traversal(text) * traversal(part),
  estimate: (call: CallSite) => ({
    cost: multiply(scale(subjectSize(call), price.traversal), scale(argSize(call, 0), price.traversal)),
  }),
};

const matching = {
  cost: ([text, pattern]: readonly unknown[]) => searchPrice(text, sizeOf(pattern)),
  estimate: (call: CallSite) =>
    // Called by name the call has no target, and Kubernetes then estimates it as one step.
    call.target === undefined ? undefined : { cost: searchEstimate(call.target.size, argSize(call, 0)) },
  prepare: ([, pattern]: readonly unknown[]) => {
    if (typeof pattern !== "string") return undefined;
    const regex = requireRegex(pattern);
    return on1(isString, (text) => regex.test(text));
  },
};

const matches = on2(isString, isString, (text, pattern, meter) => evaluatedRegex(pattern, meter).test(text));

function includes(value: unknown, values: AnyList, meter: Meter): boolean {
  const size = listSize(values);
  for (let index = 0; index < size; index += 1) {
    if (equals(listGet(values, index), value, meter)) return true;
  }
  return false;
}

/** Indexing is compiled, not called; these declare its types. */
const index = (id: string, container: CelType, key: CelType, result: CelType): Overload =>
  globalOverload(id, [container, key], result, () => {
    throw noSuchOverload();
  });

const value = paramType("B");
const key = paramType("A");

/** `size`, `contains`, `matches`, `in` and indexing. */
export const textLibrary: Library = {
  functions: [
    declare(
      "size",
      ...sizes(bytesType, isBytes, (bytes) => bytes.length),
      ...sizes(list, isList, listSize),
      ...sizes(map, isMap, countEntries),
      ...sizes(stringType, isString, codePointLength),
    ),
    declare(
      "contains",
      memberOverload(
        "contains_string",
        ofText,
        boolType,
        on2(isString, isString, (a, b) => a.includes(b)),
        contains,
      ),
    ),
    declare(
      "startsWith",
      memberOverload(
        "starts_with_string",
        ofText,
        boolType,
        on2(isString, isString, (a, b) => a.startsWith(b)),
        affix,
      ),
    ),
    declare(
      "endsWith",
      memberOverload(
        "ends_with_string",
        ofText,
        boolType,
        on2(isString, isString, (a, b) => a.endsWith(b)),
        affix,
      ),
    ),
    declare(
      "matches",
      globalOverload("matches", ofText, boolType, matches, matching),
      memberOverload("matches_string", ofText, boolType, matches, matching),
    ),
    declare(
      "@in",
      globalOverload("in_list", [key, listType(key)], boolType, on2(isAny, isList, includes), {
        cost: ([, values]) => sizeOf(values),
        estimate: (call) => ({ cost: argSize(call, 1) }),
      }),
      globalOverload(
        "in_map",
        [key, mapType(key, value)],
        boolType,
        on2(isAny, isMap, (wanted, entries) => mapGet(entries, wanted) !== undefined),
      ),
    ),
    declare(
      "_[_]",
      index("index_list", list, intType, key),
      index("index_map", mapType(key, value), key, value),
      index("optional_list_index_int", optionalType(list), intType, optionalType(key)),
      index("optional_map_index_value", optionalType(mapType(key, value)), key, optionalType(value)),
    ),
    declare(
      "_[?_]",
      index("list_optindex_optional_int", list, intType, optionalType(key)),
      index("optional_list_optindex_optional_int", optionalType(list), intType, optionalType(key)),
      index("map_optindex_optional_value", mapType(key, value), key, optionalType(value)),
      index(
        "optional_map_optindex_optional_value",
        optionalType(mapType(key, value)),
        key,
        optionalType(value),
      ),
    ),
    declare("_?._", index("select_optional_field", dynType, stringType, optionalType(dynType))),
  ],
};

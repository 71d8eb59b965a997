// Optional values: `optional.of(x)`, `self.?field.orValue(0)`.
import { declare, globalOverload, type Library, memberOverload } from "../declarations.js";
import { isAny, isDuration, isList, isMap, isOptional, on0, on1, on2 } from "../guards.js";
import { boolType, type CelType, listType, optionalType, paramType } from "../types.js";
import { CelFailure, noSuchOverload } from "../values/failure.js";
import { Double, Uint } from "../values/int.js";
import { type AnyList, listGet, listSize, listValues } from "../values/list.js";
import { mapSize } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { Optional } from "../values/optional.js";

const value = paramType("V");
const optional = optionalType(value);

function isZero(held: unknown): boolean {
  if (held === null || held === "" || held === 0 || held === false) return true;
  if (held instanceof Double) return held.value === 0;
  if (held instanceof Uint) return held.value === 0n;
  if (held instanceof Uint8Array) return held.length === 0;
  if (isDuration(held)) return held.nanos === 0n;
  if (isList(held)) return listSize(held) === 0;
  return isMap(held) && mapSize(held) === 0;
}

function held(from: Optional): unknown {
  if (!from.hasValue) throw new CelFailure("optional.none() dereference");
  return from.value;
}

function unwrapAll(list: AnyList, meter: Meter): unknown[] {
  return listValues(list, meter).flatMap((item) => {
    if (!(item instanceof Optional)) throw noSuchOverload();
    return item.hasValue ? [item.value] : [];
  });
}

const end = (pick: (list: AnyList) => number) =>
  on1(isList, (list) => (listSize(list) === 0 ? Optional.none : Optional.of(listGet(list, pick(list)))));

const lists = (of: CelType): CelType => listType(of);

/** The functions of CEL's optional types. `or` and `orValue` look at their argument only when they need it: they are compiled. */
export const optionalLibrary: Library = {
  functions: [
    declare("optional.of", globalOverload("optional_of", [value], optional, on1(isAny, Optional.of))),
    declare(
      "optional.ofNonZeroValue",
      globalOverload(
        "optional_ofNonZeroValue",
        [value],
        optional,
        on1(isAny, (given) => (isZero(given) ? Optional.none : Optional.of(given))),
      ),
    ),
    declare(
      "optional.none",
      globalOverload(
        "optional_none",
        [],
        optional,
        on0(() => Optional.none),
      ),
    ),
    declare(
      "optional.unwrap",
      globalOverload("optional_unwrap", [lists(optional)], lists(value), on1(isList, unwrapAll)),
    ),
    declare(
      "unwrapOpt",
      memberOverload("optional_unwrapOpt", [lists(optional)], lists(value), on1(isList, unwrapAll)),
    ),
    declare("value", memberOverload("optional_value", [optional], value, on1(isOptional, held))),
    declare(
      "hasValue",
      memberOverload(
        "optional_hasValue",
        [optional],
        boolType,
        on1(isOptional, (o) => o.hasValue),
      ),
    ),
    declare(
      "or",
      memberOverload(
        "optional_or_optional",
        [optional, optional],
        optional,
        on2(isOptional, isOptional, (a, b) => (a.hasValue ? a : b)),
      ),
    ),
    declare(
      "orValue",
      memberOverload(
        "optional_orValue_value",
        [optional, value],
        value,
        on2(isOptional, isAny, (a, b) => (a.hasValue ? a.value : b)),
      ),
    ),
    declare(
      "first",
      memberOverload(
        "list_first",
        [lists(value)],
        optional,
        end(() => 0),
      ),
    ),
    declare(
      "last",
      memberOverload(
        "list_last",
        [lists(value)],
        optional,
        end((list) => listSize(list) - 1),
      ),
    ),
  ],
};

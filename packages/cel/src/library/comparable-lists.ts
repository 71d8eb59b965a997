// Functions on lists whose elements have an order are declared once per type that has one.
import { type Costs, declare, type FunctionDeclaration, memberOverload } from "../declarations.js";
import {
  type AnyList,
  type Guard,
  isBool,
  isBytes,
  isDouble,
  isDuration,
  isInt,
  isListOf,
  isString,
  isTimestamp,
  isUint,
  on1,
} from "../guards.js";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  uintType,
} from "../types.js";
import type { Meter } from "../values/meter.js";

/** A type whose values have an order. */
interface Comparable {
  readonly type: CelType;
  readonly guard: Guard<unknown>;
}

/** The types whose values have an order. */
export const comparable: readonly Comparable[] = [
  { type: intType, guard: isInt },
  { type: uintType, guard: isUint },
  { type: doubleType, guard: isDouble },
  { type: boolType, guard: isBool },
  { type: durationType, guard: isDuration },
  { type: timestampType, guard: isTimestamp },
  { type: stringType, guard: isString },
  { type: bytesType, guard: isBytes },
];

/** One overload per type that has an order. */
export function ofComparable(
  name: string,
  id: string,
  result: (type: CelType) => CelType,
  run: (list: AnyList, meter: Meter) => unknown,
  costs: Costs,
): FunctionDeclaration {
  const overloads = comparable.map(({ type, guard }) =>
    memberOverload(
      `list_${type.kind}_${id}`,
      [listType(type)],
      result(type),
      on1(isListOf(guard), run),
      costs,
    ),
  );
  return declare(name, ...overloads);
}

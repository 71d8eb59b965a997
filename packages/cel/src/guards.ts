// Functions of the library are written for the values they understand. These builders put the check in front: a call with other
// values is answered with `mismatch`, so that another overload can be tried and, failing all, the error can name the call.
import type { Invoke } from "./declarations.js";
import { Double, type Int, isInt, Uint } from "./values/int.js";
import { type AnyList, isList, listGet, listSize } from "./values/list.js";
import type { AnyMap } from "./values/map.js";
import type { Meter } from "./values/meter.js";
import { Optional } from "./values/optional.js";
import { Duration, Timestamp } from "./values/temporal.js";
import { isMap } from "./values/value.js";

/** Returned by an overload for values it does not take. */
export const mismatch: unique symbol = Symbol("no such overload");

/** Says whether a value is one the function takes. */
export type Guard<T> = (value: unknown) => value is T;

/** Takes every value. */
export const isAny = (_value: unknown): _value is unknown => true;
/** Takes strings. */
export const isString = (value: unknown): value is string => typeof value === "string";
/** Takes booleans. */
export const isBool = (value: unknown): value is boolean => typeof value === "boolean";
/** Takes floating-point numbers. */
export const isDouble = (value: unknown): value is Double => value instanceof Double;
/** Takes unsigned integers. */
export const isUint = (value: unknown): value is Uint => value instanceof Uint;
/** Takes bytes. */
export const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
/** Takes times. */
export const isTimestamp = (value: unknown): value is Timestamp => value instanceof Timestamp;
/** Takes durations. */
export const isDuration = (value: unknown): value is Duration => value instanceof Duration;
/** Takes optionals. */
export const isOptional = (value: unknown): value is Optional => value instanceof Optional;
export type { AnyList, AnyMap, Int };
export { isInt, isList, isMap };

/** Lists are taken for what their first element is; an empty one is a list of anything. */
export function isListOf<T>(guard: Guard<T>): Guard<AnyList> {
  return (value): value is AnyList => isList(value) && (listSize(value) === 0 || guard(listGet(value, 0)));
}

/** An overload without arguments. */
export function on0(run: (meter: Meter) => unknown): Invoke {
  return (_args, meter) => run(meter);
}

/** An overload of one argument. */
export function on1<A>(a: Guard<A>, run: (a: A, meter: Meter) => unknown): Invoke {
  return (args, meter) => {
    const x = args[0];
    return a(x) ? run(x, meter) : mismatch;
  };
}

/** An overload of two arguments. */
export function on2<A, B>(a: Guard<A>, b: Guard<B>, run: (a: A, b: B, meter: Meter) => unknown): Invoke {
  return (args, meter) => {
    const x = args[0];
    const y = args[1];
    return a(x) && b(y) ? run(x, y, meter) : mismatch;
  };
}

/** An overload of three arguments. */
export function on3<A, B, C>(
  a: Guard<A>,
  b: Guard<B>,
  c: Guard<C>,
  run: (a: A, b: B, c: C, meter: Meter) => unknown,
): Invoke {
  return (args, meter) => {
    const x = args[0];
    const y = args[1];
    const z = args[2];
    return a(x) && b(y) && c(z) ? run(x, y, z, meter) : mismatch;
  };
}

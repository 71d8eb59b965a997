// Price rules that several functions share: what a call costs by the sizes of its values, and what it can cost by the sizes its
// values can have. The two belong together; a rule's estimate is the worst case of its cost.
import { add, type CallSite, fixed, multiply, one, price, type Range, scale, unknownSize } from "../cost.js";
import type { Costs } from "../declarations.js";
import { isList, isMap } from "../guards.js";
import { listValues } from "../values/list.js";
import { mapGet, mapKeys } from "../values/map.js";
import { Meter } from "../values/meter.js";
import { sizeOf } from "../values/value.js";

/** The cost of traversing a value. */
export const traversal = (value: unknown, factor = 1): number =>
  Math.ceil(sizeOf(value) * factor * price.traversal);

/** The size of the value a function works on: its target, or its first argument. */
export function subjectSize(call: CallSite): Range {
  return (call.target ?? call.args[0])?.size ?? unknownSize;
}

/** The size an argument can have. */
export const argSize = (call: CallSite, index: number): Range => call.args[index]?.size ?? unknownSize;

/** Walks over its subject once. */
export const walksSubject: Costs = {
  cost: ([subject]) => traversal(subject),
  estimate: (call) => ({ cost: scale(subjectSize(call), price.traversal) }),
};

/** Walks over its subject and returns a text no longer than it. */
export const transformsSubject: Costs = {
  cost: ([subject]) => traversal(subject),
  estimate: (call) => ({
    cost: scale(subjectSize(call), price.traversal),
    resultSize: subjectSize(call),
  }),
};

/** Walks over its first argument and makes something of fixed size of it. */
export const walksArgument: Costs = {
  cost: ([text]) => traversal(text),
  estimate: (call) => ({ cost: scale(argSize(call, 0), price.traversal) }),
};

/** A pattern is tried at every place of a text, one more than it has characters. */
export const searchPrice = (text: unknown, pattern: number): number =>
  Math.ceil((1 + sizeOf(text)) * price.traversal) * Math.ceil(pattern * price.regex);

/** The estimate of `searchPrice`. */
export function searchEstimate(text: Range, pattern: Range): Range {
  return multiply(scale(add(text, one), price.traversal), scale(pattern, price.regex));
}

/** The work of visiting everything inside a value. */
function visitPrice(value: unknown): number {
  if (typeof value === "string") return Math.trunc(value.length * price.traversal);
  if (value instanceof Uint8Array) return Math.trunc(value.length * price.traversal);
  if (isList(value))
    return listValues(value, new Meter(0)).reduce<number>((total, item) => total + visitPrice(item), 0);
  if (!isMap(value)) return 1;
  return mapKeys(value).reduce<number>(
    (total, key) => total + visitPrice(key) + visitPrice(mapGet(value, key)),
    0,
  );
}

/** Compares every element of a list, or walks over a text. */
export const visitsSubject: Costs = {
  cost: ([subject]) => visitPrice(subject),
  estimate(call) {
    const { target } = call;
    if (target === undefined) return undefined;
    if (target.element === undefined) return { cost: scale(target.size, price.traversal) };
    const text = target.element.isText ? scale(target.element.size, price.traversal) : fixed(0);
    return { cost: multiply(target.size, add(one, text)) };
  },
};

/** A call that makes a list of that size. */
export const listCallPrice = (size: number, factor: number): number =>
  Math.trunc(size * factor) + 1 + price.list;

/** The estimate of `listCallPrice`. */
export function listCallEstimate(
  size: Range,
  factor: number,
): { readonly cost: Range; readonly resultSize: Range } {
  return { cost: add(scale(size, factor), fixed(1 + price.list)), resultSize: size };
}

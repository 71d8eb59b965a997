// Lists and maps.
import type { ListFacts, MapFacts } from "@kubewright/api";
import { roundedInteger } from "../json/number-literals.js";
import { isObject, type MutableJson, type MutableObject } from "../mutable-json.js";
import { type FitContext, fewMembers } from "./fit-context.js";
import { isEmpty, type Shape } from "./shape.js";

/** A list of things of one shape; `null` inside stands for the zero value, as in Go. */
export function listShape(facts: ListFacts, item: () => Shape): Shape {
  return {
    fit(value, context) {
      if (!Array.isArray(value)) {
        context.mismatch(value, facts);
        return null;
      }
      const shape = item();
      const depth = context.depth++;
      const few = context.putOff ? Math.min(value.length, fewMembers) : value.length;
      for (let i = 0; i < few; i++) {
        context.steps[depth] = i;
        fitItem(shape, value, i, context);
      }
      context.depth = depth;
      if (few < value.length) putOffItems(shape, value, few, context);
      return value;
    },
    zero: () => null,
    isOmitted: isEmpty,
  };
}

function fitItem(shape: Shape, list: MutableJson[], index: number, context: FitContext): void {
  const old = list[index];
  const fitted = old === null || old === undefined ? shape.zero() : shape.fit(old, context, list);
  if (fitted !== old) list[index] = fitted;
}

function putOffItems(shape: Shape, list: MutableJson[], from: number, context: FitContext): void {
  const indexes = Array.from({ length: list.length - from }, (_, index) => from + index);
  context.later(indexes, (index) => fitItem(shape, list, Number(index), context));
}

/** A map from strings to things of one shape. */
export function mapShape(facts: MapFacts, item: () => Shape): Shape {
  return {
    fit(value, context) {
      if (!isObject(value)) {
        context.mismatch(value, facts);
        return null;
      }
      const shape = item();
      const depth = context.depth++;
      let left = context.putOff ? fewMembers : Number.POSITIVE_INFINITY;
      const others: string[] = [];
      for (const key in value) {
        if (left-- <= 0) {
          others.push(key);
          continue;
        }
        context.steps[depth] = key;
        fitEntry(shape, value, key, context);
      }
      context.depth = depth;
      context.later(others, (key) => fitEntry(shape, value, String(key), context));
      return value;
    },
    zero: () => null,
    isOmitted: isEmpty,
  };
}

function fitEntry(shape: Shape, map: MutableObject, key: string, context: FitContext): void {
  const old = map[key];
  const fitted = old === null || old === undefined ? zero(shape) : shape.fit(old, context, map);
  if (fitted !== old) map[key] = fitted;
}

const zero = (shape: Shape): MutableJson => (shape.zeroInMap ? shape.zeroInMap() : shape.zero());

/** Raw JSON, kept as it is. */
export const anyShape: Shape = {
  fit(value, context) {
    if (context.literals !== undefined) refuseRounded(value, context);
    return value;
  },
  zero: () => null,
  isOmitted: () => false,
};

function refuseRounded(value: MutableJson, context: FitContext): void {
  if (typeof value !== "object" || value === null) return;
  const own = context.literals?.get(value);
  const message = own && roundedInteger(new Map([[value, own]]));
  if (message !== undefined) context.complain(message);
  for (const child of Object.values(value)) if (child !== undefined) refuseRounded(child, context);
}

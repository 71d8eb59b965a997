// Lists and maps.
import type { ListFacts, MapFacts } from "@kubewright/api";
import { takeKeys } from "../json/listed-keys.js";
import { roundedIntegerIn } from "../json/number-literals.js";
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
      if (few < value.length)
        context.later(value.length - few, (nth) => {
          context.steps[depth] = few + nth;
          fitItem(shape, value, few + nth, context);
        });
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
      if (context.putOff) fitSome(shape, value, context, depth);
      else
        for (const key in value) {
          context.steps[depth] = key;
          fitEntry(shape, value, key, context);
        }
      context.depth = depth;
      return value;
    },
    zero: () => null,
    isOmitted: isEmpty,
  };
}

/** Fits the first entries and puts the others off. */
function fitSome(shape: Shape, map: MutableObject, context: FitContext, depth: number): void {
  const keys = takeKeys(map);
  const fit = (nth: number): void => {
    const key = keys[nth] ?? "";
    context.steps[depth] = key;
    fitEntry(shape, map, key, context);
  };
  const few = Math.min(keys.length, fewMembers);
  for (let nth = 0; nth < few; nth++) fit(nth);
  if (keys.length > few) {
    context.wide = map;
    context.depth = depth;
    context.later(keys.length - few, (nth) => fit(few + nth));
  }
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
    if (context.literals?.firstRounded !== undefined) refuseRounded(value, context);
    return value;
  },
  zero: () => null,
  isOmitted: () => false,
};

function refuseRounded(value: MutableJson, context: FitContext): void {
  if (typeof value !== "object" || value === null) return;
  const own = context.literals?.get(value);
  const message = own && roundedIntegerIn(own);
  if (message !== undefined) context.complain(message);
  for (const child of Object.values(value)) if (child !== undefined) refuseRounded(child, context);
}

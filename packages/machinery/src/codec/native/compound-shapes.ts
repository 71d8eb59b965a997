// Lists and maps.
import { isObject, type ListFacts, type MapFacts } from "@kubewright/api";
import type { MutableJson, MutableObject } from "../mutable-json.js";
import type { FitContext } from "./fit-context.js";
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
      for (let i = 0; i < value.length; i++) {
        context.steps[depth] = i;
        fitItem(shape, value, i, context);
      }
      context.depth = depth;
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

function fitEntry(shape: Shape, map: MutableObject, key: string, context: FitContext): void {
  const old = map[key];
  const fitted = old === null || old === undefined ? zero(shape) : shape.fit(old, context, map);
  if (fitted !== old) map[key] = fitted;
}

const zero = (shape: Shape): MutableJson => (shape.zeroInMap ? shape.zeroInMap() : shape.zero());

/** Raw JSON, kept as it is. */
export const anyShape: Shape = {
  fit: (value) => value,
  zero: () => null,
  isOmitted: () => false,
};

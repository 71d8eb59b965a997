// Lists and maps.
import type { ListFacts, MapFacts } from "@kubewright/api";
import { roundedInteger } from "../json/number-literals.js";
import { isObject, type MutableJson } from "../mutable-json.js";
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
        const old = value[i];
        context.steps[depth] = i;
        const fitted = old === null || old === undefined ? shape.zero() : shape.fit(old, context, value);
        if (fitted !== old) value[i] = fitted;
      }
      context.depth = depth;
      return value;
    },
    zero: () => null,
    isOmitted: isEmpty,
  };
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
        const old = value[key];
        context.steps[depth] = key;
        const fitted = old === null || old === undefined ? zero(shape) : shape.fit(old, context, value);
        if (fitted !== old) value[key] = fitted;
      }
      context.depth = depth;
      return value;
    },
    zero: () => null,
    isOmitted: isEmpty,
  };
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

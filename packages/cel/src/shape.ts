// Readers that turn the JSON of a variable or field into a CEL value, for types that no schema describes in more detail.
import { goType } from "@kubewright/api";
import type { CelType } from "./types.js";
import { CelFailure } from "./values/failure.js";
import { Double } from "./values/int.js";
import { adapt, wideInt } from "./values/json.js";
import { isList } from "./values/list.js";
import { Optional } from "./values/optional.js";
import { parseDuration, parseTimestamp } from "./values/temporal.js";
import { isMap } from "./values/value.js";
import type { Shape } from "./values/view.js";

/** Reads values of one JavaScript kind; anything else is not what the schema says. */
function scalar(expected: string, accept: (json: unknown) => unknown, isPlain = true): Shape {
  return {
    isPlain,
    read(json) {
      const value = accept(json);
      if (value !== undefined) return value;
      throw new CelFailure(`invalid data, expected ${expected}, got ${goType(json)}`);
    },
  };
}

const asIs =
  (check: (json: unknown) => boolean) =>
  (json: unknown): unknown =>
    check(json) ? json : undefined;

/** Anything, by its JSON type. */
const dynShape: Shape = { isPlain: true, read: adapt };
/** A string. */
export const stringShape = scalar(
  "string",
  asIs((json) => typeof json === "string"),
);
/** A boolean. */
export const boolShape = scalar(
  "bool",
  asIs((json) => typeof json === "boolean"),
);
/** An integer, beyond what a number can hold as a bigint. */
export const intShape = scalar("int", (json) => {
  if (Number.isSafeInteger(json) || typeof json === "bigint") return json;
  return typeof json === "number" ? wideInt(json) : undefined;
});
/** A floating-point number, boxed to distinguish it from an integer. */
export const doubleShape = scalar(
  "float",
  (json) => {
    if (json instanceof Double) return json;
    return typeof json === "number" || typeof json === "bigint" ? new Double(Number(json)) : undefined;
  },
  false,
);
const listShape = scalar("list", asIs(isList));
const mapShape = scalar("map", asIs(isMap));

/** Reads a formatted string; values that are not strings are taken as already read. */
function formatted(what: string, parse: (text: string) => unknown): Shape {
  return {
    isPlain: false,
    read(json) {
      if (typeof json !== "string") return json;
      const value = parse(json);
      if (value === undefined) throw new CelFailure(`Invalid ${what} ${json}`);
      return value;
    },
  };
}

/** A time written as text. */
const timestampShape = formatted("date-time formatted string", parseTimestamp);
/** A duration written as text. */
const durationShape = formatted("duration", parseDuration);

/** The shape of a type: the one its schema gave it, or the plain one of its kind. */
export function shapeOf(type: CelType): Shape {
  if (type.shape !== undefined) return type.shape;
  switch (type.kind) {
    case "string":
      return stringShape;
    case "bool":
      return boolShape;
    case "int":
      return intShape;
    case "double":
      return doubleShape;
    case "timestamp":
      return timestampShape;
    case "duration":
      return durationShape;
    case "list":
      return listShape;
    case "map":
    case "object":
      return mapShape;
    case "optional":
      return optionalShape(type);
    default:
      return dynShape;
  }
}

/** An optional variable is empty when it is not bound. */
function optionalShape(type: CelType): Shape {
  const [held] = type.params;
  const inner = held === undefined ? dynShape : shapeOf(held);
  return {
    isPlain: false,
    read: (json) => (json === undefined ? Optional.none : Optional.of(inner.read(json))),
  };
}

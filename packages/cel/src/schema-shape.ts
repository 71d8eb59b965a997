// Readers of objects, maps and lists by their schema: views that know the schema, or the JSON itself where that suffices.
import { isObject, type JSONSchemaProps } from "@kubewright/api";
import { shapeOf } from "./shape.js";
import type { CelField } from "./types.js";
import { CelFailure } from "./values/failure.js";
import { type ListMode, ListView, type MapShape, MapView, type Shape } from "./values/view.js";

function expected(what: string): CelFailure {
  return new CelFailure(
    `invalid data, expected ${what} for the provided schema with type=${what === "a map" ? "object" : "array"}`,
  );
}

/** An object with declared fields; fields the schema does not have are out of sight. */
export function objectShapeOf(fields: ReadonlyMap<string, CelField>): Shape {
  const byProperty = new Map(Array.from(fields.values(), (field) => [field.property, field]));
  const shape: MapShape = {
    nullIsAbsent: true,
    property: (key) => fields.get(key)?.property,
    key: (property) => byProperty.get(property)?.name,
    shape: (property) => {
      const type = byProperty.get(property)?.type;
      return type === undefined ? undefined : shapeOf(type);
    },
  };
  return {
    isPlain: false,
    read(json) {
      if (json instanceof MapView) return json;
      if (!isObject(json)) throw expected("a map");
      return new MapView(json, shape);
    },
  };
}

/** A map; its keys are what they are. */
export function mapShapeOf(value: Shape): Shape {
  const shape: MapShape = {
    nullIsAbsent: false,
    property: (key) => key,
    key: (property) => property,
    shape: () => value,
  };
  return {
    isPlain: value.isPlain,
    read(json) {
      if (!isObject(json)) throw expected("a map");
      return value.isPlain || json instanceof MapView ? json : new MapView(json, shape);
    },
  };
}

function modeOf(schema: JSONSchemaProps): ListMode {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return { kind: "set" };
    case "map":
      return { kind: "map", keys: schema["x-kubernetes-list-map-keys"] ?? [] };
    default:
      return { kind: "atomic" };
  }
}

/** The reader of a list: items by their shape, equality by the list type. */
export function listShapeOf(schema: JSONSchemaProps, element: Shape): Shape {
  const mode = modeOf(schema);
  const isPlain = element.isPlain && mode.kind === "atomic";
  return {
    isPlain,
    read(json) {
      if (json instanceof ListView) return json;
      if (!Array.isArray(json)) throw expected("an array");
      return isPlain ? json : new ListView(json, element, mode);
    },
  };
}

/** Values that may be null are null to rules, too. */
export function nullableShape(shape: Shape): Shape {
  return { isPlain: shape.isPlain, read: (json) => (json === null ? null : shape.read(json)) };
}

/** An int or a string, known only when it is seen. */
export const intOrStringShape: Shape = {
  isPlain: true,
  read(json) {
    if (typeof json === "string" || Number.isSafeInteger(json) || typeof json === "bigint") return json;
    throw new CelFailure("invalid data, expected XIntOrString value to be either a string or integer");
  },
};

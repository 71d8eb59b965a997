// Lists and objects seen through their schema. Where the schema asks for something that the JSON does not show (a string that is a
// time, a list that is a set, a property with an escaped name), a view stands in front of the value; the value itself is never copied.
import { isObject, stringifyJson } from "@kubewright/api";
import { CelFailure } from "./failure.js";
import type { JsonMap } from "./json.js";

/** The reader of the values at one place in a schema. */
export interface Shape {
  /** Whether the JSON can be used as it is: nothing in it needs to be converted. */
  readonly isPlain: boolean;
  /** The JSON as a CEL value; fails when it is not what the schema says. */
  read(json: unknown): unknown;
}

/** The list type, which decides equality and `+`. */
export type ListMode =
  | { readonly kind: "atomic" }
  | { readonly kind: "set" }
  | { readonly kind: "map"; readonly keys: readonly string[] };

/** A list whose elements need reading, or that is a set or a map. */
export class ListView {
  readonly json: readonly unknown[];
  readonly element: Shape;
  readonly mode: ListMode;

  constructor(json: readonly unknown[], element: Shape, mode: ListMode) {
    this.json = json;
    this.element = element;
    this.mode = mode;
  }

  get(index: number): unknown {
    return this.element.read(this.json[index]);
  }

  /** The identity of an element of a set or `map` list. */
  keyOf(json: unknown): string {
    if (this.mode.kind !== "map" || !isObject(json)) return stringifyJson(json);
    return stringifyJson(this.mode.keys.map((key) => json[key] ?? null));
  }
}

/** The fields of an object, or the rule for the values of a map. */
export interface MapShape {
  /** The JSON name behind a key, or undefined when the schema has no such key. */
  property(key: string): string | undefined;
  /** The key to show for a JSON name, or undefined when the schema does not have it. */
  key(property: string): string | undefined;
  /** The reader of the value of a JSON name. */
  shape(property: string): Shape | undefined;
  /** A field that is null counts as absent; the value of a map entry does not. */
  readonly nullIsAbsent: boolean;
}

/** An object or map that needs reading. */
export class MapView {
  readonly json: JsonMap;
  readonly shape: MapShape;

  constructor(json: JsonMap, shape: MapShape) {
    this.json = json;
    this.shape = shape;
  }

  /** The value under a key, or undefined when there is none. */
  get(key: unknown): unknown {
    if (typeof key !== "string") throw new CelFailure("no such overload");
    const property = this.shape.property(key);
    if (property === undefined || !Object.hasOwn(this.json, property)) return undefined;
    const value = this.json[property];
    if (value === undefined || (value === null && this.shape.nullIsAbsent)) return undefined;
    return this.shape.shape(property)?.read(value);
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  keys(): string[] {
    return Object.keys(this.json).flatMap((property) => this.shape.key(property) ?? []);
  }
}

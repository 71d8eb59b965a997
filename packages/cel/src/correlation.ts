// Correlation of old and new values, and whether a value changed: for transition rules, and for ratcheting of unchanged values.
import { deepEqual, isObject, type JSONSchemaProps, stringifyJson } from "@kubewright/api";
import { itemSchema, valueSchema } from "./schema-type.js";

/** Finds the old element that belongs to a new one. */
type FindOld = (item: unknown) => unknown;

/** Elements of a `map` list, by their keys; elements of other lists cannot be correlated. */
export function oldItems(schema: JSONSchemaProps, old: unknown): FindOld {
  if (!Array.isArray(old) || schema["x-kubernetes-list-type"] !== "map") return () => undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const properties = itemSchema(schema)?.properties ?? {};
  const keyOf = (item: unknown): string | undefined => {
    if (!isObject(item)) return undefined;
    return stringifyJson(keys.map((key) => item[key] ?? properties[key]?.default ?? null));
  };
  const byKey = new Map<string | undefined, unknown>();
  for (const item of old) {
    byKey.set(keyOf(item), item);
  }
  return (item) => byKey.get(keyOf(item));
}

/** An old and a new value at one place. */
export class Correlation {
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #schema: JSONSchemaProps;
  #isSame: boolean | undefined;
  #oldItems: FindOld | undefined;

  constructor(value: unknown, old: unknown, schema: JSONSchemaProps) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** Whether nothing changed here; the order of a `map` list is no change. */
  get isSame(): boolean {
    this.#isSame ??= isSame(this.#value, this.#old, this.#schema);
    return this.#isSame;
  }

  /** The pair below a field, if both sides have it. */
  field(name: string, schema: JSONSchemaProps): Correlation | undefined {
    if (!isObject(this.#value) || !isObject(this.#old)) return undefined;
    if (!Object.hasOwn(this.#value, name) || !Object.hasOwn(this.#old, name)) return undefined;
    return new Correlation(this.#value[name], this.#old[name], schema);
  }

  /** The pair of an element of a `map` list. */
  item(item: unknown, schema: JSONSchemaProps): Correlation | undefined {
    this.#oldItems ??= oldItems(this.#schema, this.#old);
    const old = this.#oldItems(item);
    return old === undefined ? undefined : new Correlation(item, old, schema);
  }
}

function isSame(value: unknown, old: unknown, schema: JSONSchemaProps): boolean {
  if (deepEqual(value, old)) return true;
  if (Array.isArray(value) && Array.isArray(old)) return isSameList(value, old, schema);
  if (!isObject(value) || !isObject(old)) return false;
  const names = Object.keys(value);
  if (names.length !== Object.keys(old).length) return false;
  return names.every((name) => {
    const own = schema.properties?.[name] ?? valueSchema(schema);
    return (
      Object.hasOwn(old, name) &&
      (own === undefined ? deepEqual(value[name], old[name]) : isSame(value[name], old[name], own))
    );
  });
}

function isSameList(value: readonly unknown[], old: readonly unknown[], schema: JSONSchemaProps): boolean {
  const items = itemSchema(schema);
  if (value.length !== old.length || items === undefined) return false;
  if (schema["x-kubernetes-list-type"] !== "map") {
    return value.every((item, index) => isSame(item, old[index], items));
  }
  const find = oldItems(schema, old);
  return value.every((item) => {
    const before = find(item);
    return before !== undefined && isSame(item, before, items);
  });
}

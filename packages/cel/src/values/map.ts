// Maps. Three things are maps to an expression: a plain JSON object (as it came), an object seen through a schema (a view),
// and a map the expression built itself, whose keys need not be strings.
import { CelFailure } from "./failure.js";
import { Double, fromBigInt, Uint } from "./int.js";
import { adapt, type JsonMap } from "./json.js";
import { MapView } from "./view.js";

type MapKey = string | number | bigint | boolean;

interface Entry {
  readonly key: unknown;
  readonly value: unknown;
}

/** A map made by an expression. Numeric keys are the same whatever their type. */
export class CelMap {
  readonly #entries = new Map<MapKey, Entry>();

  /** Adds an entry; a key may occur once. */
  insert(key: unknown, value: unknown): void {
    const normal = normalKey(key);
    if (normal === undefined) throw new CelFailure("unsupported key type");
    if (this.#entries.has(normal))
      throw new CelFailure(`insert failed: key ${String(normal)} already exists`);
    this.#entries.set(normal, { key, value });
  }

  has(key: unknown): boolean {
    const normal = normalKey(key);
    return normal !== undefined && this.#entries.has(normal);
  }

  /** The value under a key, or undefined. */
  get(key: unknown): unknown {
    const normal = normalKey(key);
    return normal === undefined ? undefined : this.#entries.get(normal)?.value;
  }

  get size(): number {
    return this.#entries.size;
  }

  keys(): unknown[] {
    return Array.from(this.#entries.values(), (entry) => entry.key);
  }
}

/** An object made by an expression, of a named type: `Object.spec{replicas: 1}`. */
export class StructMap extends CelMap {
  readonly typeName: string;

  constructor(typeName: string) {
    super();
    this.typeName = typeName;
  }
}

function normalKey(key: unknown): MapKey | undefined {
  switch (typeof key) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return key;
    default:
      if (key instanceof Uint) return fromBigInt(key.value) ?? key.value;
      return key instanceof Double && Number.isSafeInteger(key.value) ? key.value : undefined;
  }
}

/** A JSON object as it came, or an object seen through a schema, or a map an expression made. */
export type AnyMap = CelMap | MapView | JsonMap;

/** The value under a key, or undefined when there is none. */
export function mapGet(map: AnyMap, key: unknown): unknown {
  if (map instanceof CelMap || map instanceof MapView) return map.get(key);
  if (typeof key !== "string" || !Object.hasOwn(map, key)) return undefined;
  return adapt(map[key]);
}

/** The work of enumerating the keys of a large object, in steps of the meter. */
export const stepsPerKey = 8;

/** The number of entries of a map. */
export function mapSize(map: AnyMap): number {
  if (map instanceof CelMap || map instanceof MapView) return map.size;
  return Object.keys(map).length;
}

/** The keys, in the order they were written. */
export function mapKeys(map: AnyMap): readonly unknown[] {
  if (map instanceof CelMap || map instanceof MapView) return map.keys();
  return Object.keys(map);
}

// Would applying an object change anything? Decided from what our manager owns of the live object, as the server
// recorded it, and from the values there.
//
// Nothing would change exactly when the declared fields are the owned fields, and every declared value is the live one.
// The owned set itself says how each list merges (`k:` items by key, `v:` items by value, no items: as a whole), so no
// schema is needed to walk it. Whatever is not understood counts as a difference: an apply too many changes nothing, one
// too few leaves the world wrong.
import { deepEqual, isObject } from "@kubewright/api";
import { isNothing, type JsonRecord } from "./json-record.js";
import { type ListKeys, matchItems } from "./list-items.js";

/** A place where an apply would, or may, change something. */
export interface Difference {
  /** As people read it: `.spec.ports[port=80].name`. */
  readonly path: string;
  /** Its keys from the root; numbers for items of lists. */
  readonly place: readonly (string | number)[];
  /** `ownership`: declared but not ours, or ours but no longer declared. `value`: declared and ours, but not the live one. */
  readonly kind: "ownership" | "value";
  readonly declared: unknown;
  readonly live: unknown;
}

/** Says whether two different spellings mean the same at a place. */
export type SameMeaning = (place: readonly (string | number)[], declared: unknown, live: unknown) => boolean;

const maxDepth = 200;
/** The fields that identify an object have no field manager. */
const identity: ReadonlySet<string> = new Set(["apiVersion", "kind"]);
const metadataIdentity: ReadonlySet<string> = new Set(["name", "namespace"]);
const unmanaged: ReadonlySet<string> = new Set();

/** Every difference between what is declared and what is there; only the first when it is one of ownership. */
export function compareFields(
  owned: JsonRecord,
  declared: JsonRecord,
  live: JsonRecord,
  sameMeaning: SameMeaning = () => false,
): readonly Difference[] {
  const comparison = new FieldComparison(sameMeaning);
  comparison.fields(owned, declared, live, identity);
  return comparison.differences;
}

class FieldComparison {
  readonly differences: Difference[] = [];
  readonly #place: (string | number)[] = [];
  readonly #sameMeaning: SameMeaning;

  constructor(sameMeaning: SameMeaning) {
    this.#sameMeaning = sameMeaning;
  }

  /** Compares the fields of an object. Each step returns false once it is settled that an apply is needed. */
  fields(owned: JsonRecord, declared: JsonRecord, live: unknown, ignored: ReadonlySet<string>): boolean {
    const liveFields = isObject(live) ? live : {};
    for (const name of Object.keys(declared)) {
      const value = declared[name];
      if (value === undefined || ignored.has(name)) continue;
      const isRootMetadata = ignored === identity && name === "metadata";
      if (!this.#field(owned, name, value, liveFields, isRootMetadata)) return false;
    }
    for (const element of Object.keys(owned)) {
      if (element === ".") continue;
      const name = element.slice(2);
      const isDeclared =
        element.startsWith("f:") && Object.hasOwn(declared, name) && declared[name] !== undefined;
      if (!isDeclared) return this.#differs("ownership", undefined, undefined, name);
    }
    return true;
  }

  #field(
    owned: JsonRecord,
    name: string,
    value: unknown,
    live: JsonRecord,
    isRootMetadata: boolean,
  ): boolean {
    const node = Object.hasOwn(owned, `f:${name}`) ? owned[`f:${name}`] : undefined;
    const liveValue = Object.hasOwn(live, name) ? live[name] : undefined;
    this.#place.push(name);
    const isSettled =
      isRootMetadata && isObject(value)
        ? this.fields(isObject(node) ? node : {}, value, liveValue, metadataIdentity)
        : this.#value(node, value, liveValue);
    this.#place.pop();
    return isSettled;
  }

  #value(node: unknown, declared: unknown, live: unknown): boolean {
    if (!isObject(node) || this.#place.length > maxDepth) return this.#notOwned(declared, live);
    const elements = Object.keys(node).filter((element) => element !== ".");
    if (elements.length === 0) return this.#whole(declared, live);
    if (isObject(declared)) return this.fields(node, declared, live, unmanaged);
    if (Array.isArray(declared)) return this.#items(node, elements, declared, live);
    return this.#differs("ownership", declared, live);
  }

  /** Nothing of the place is ours. What is named is the first thing in it, which says more. */
  #notOwned(declared: unknown, live: unknown): boolean {
    if (isWithoutContent(declared) && (isAbsent(live) || this.#sameMeaning(this.#place, declared, live)))
      return true;
    const before = this.differences.length;
    if (isObject(declared) && isObject(live) && this.#place.length < maxDepth)
      this.fields({}, declared, live, unmanaged);
    return this.differences.length > before ? false : this.#differs("ownership", declared, live);
  }

  /** A scalar, or something owned and replaced as a whole. */
  #whole(declared: unknown, live: unknown): boolean {
    if (declared === live || deepEqual(declared, live)) return true;
    // We own the place and nothing is there: the server does not store such a value. Had somebody taken away another
    // value, our ownership would have gone with it.
    if (live === undefined && isNothing(declared)) return true;
    if (this.#sameMeaning(this.#place, declared, live)) return true;
    this.#differs("value", declared, live);
    return true;
  }

  #items(
    node: JsonRecord,
    elements: readonly string[],
    declared: readonly unknown[],
    live: unknown,
  ): boolean {
    const matches = matchItems(elements, declared, Array.isArray(live) ? live : []);
    if (!matches) return this.#differs("ownership", declared, live);
    for (const { element, keys, index, declaredItem, liveItem } of matches) {
      const below = node[element];
      if (!isObject(below) || !isMember(below)) return this.#differs("ownership", declaredItem, liveItem);
      if (keys === undefined) continue;
      if (!this.#item(below, keys, index, declaredItem, liveItem)) return false;
    }
    return true;
  }

  #item(node: JsonRecord, keys: ListKeys, index: number, declared: unknown, live: unknown): boolean {
    if (!isObject(declared) || !isObject(live)) return this.#differs("ownership", declared, live);
    this.#place.push(index);
    this.#itemNames.set(this.#place.length - 1, keys);
    const isWhole = Object.keys(node).every((element) => element === ".");
    const isSettled = isWhole ? this.#whole(declared, live) : this.fields(node, declared, live, unmanaged);
    this.#place.pop();
    return isSettled;
  }

  /** The keys that identify the list items on the path to here, by depth. */
  readonly #itemNames = new Map<number, ListKeys>();

  #differs(kind: Difference["kind"], declared: unknown, live: unknown, below?: string): false {
    const place = below === undefined ? [...this.#place] : [...this.#place, below];
    this.differences.push({ path: this.#describe(place), place, kind, declared, live });
    return false;
  }

  #describe(place: readonly (string | number)[]): string {
    return place
      .map((step, depth) =>
        typeof step === "string" ? `.${step}` : describeItem(this.#itemNames.get(depth), step),
      )
      .join("");
  }
}

/**
 * A list declared empty, or an object with nothing but such lists in it: applying it sets nothing, and where items have keys
 * managed fields do not name it.
 */
function isWithoutContent(declared: unknown, depth = 0): boolean {
  if (Array.isArray(declared)) return declared.length === 0;
  if (!isObject(declared) || depth > maxDepth) return false;
  const values = Object.values(declared).filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => isWithoutContent(value, depth + 1));
}

/** Not there, or there without content: servers keep empty lists in custom kinds and drop them in built-in ones. */
function isAbsent(live: unknown, depth = 0): boolean {
  if (live === undefined || live === null) return true;
  if (Array.isArray(live)) return live.length === 0;
  return (
    isObject(live) && depth <= maxDepth && Object.values(live).every((value) => isAbsent(value, depth + 1))
  );
}

/** An item is owned itself, not only some of its fields. */
function isMember(node: JsonRecord): boolean {
  return Object.hasOwn(node, ".") || Object.keys(node).length === 0;
}

function describeItem(keys: ListKeys | undefined, index: number): string {
  if (!keys) return `[${index}]`;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(",")}]`;
}

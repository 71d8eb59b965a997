// Matches the items of a declared list with the elements of an owned field set, and with the live items.
import { deepEqual, isObject } from "@kubewright/api";
import type { JsonRecord } from "./json-record.js";

/** The keys of an item: `{ port: 80, protocol: "TCP" }`. */
export type ListKeys = JsonRecord;

export interface ItemMatch {
  /** As the field set writes it: `k:{"port":80}`, `v:"a"`. */
  readonly element: string;
  /** Undefined for items that are their own key. */
  readonly keys: ListKeys | undefined;
  /** The place of the live item. */
  readonly index: number;
  readonly declaredItem: unknown;
  readonly liveItem: unknown;
}

/**
 * One match for every declared item and every owned element. Undefined when there is no such pairing, when it is not
 * clear, or when the live items stand in another order: the order of a list is part of it.
 */
export function matchItems(
  elements: readonly string[],
  declared: readonly unknown[],
  live: readonly unknown[],
): readonly ItemMatch[] | undefined {
  if (elements.length !== declared.length) return undefined;
  const free = new FreeElements(elements);
  const matches: ItemMatch[] = [];
  let last = -1;
  for (const declaredItem of declared) {
    const owned = free.take(declaredItem);
    if (!owned) return undefined;
    const index = live.findIndex((item, at) => at > last && isExactly(owned.identity, item));
    if (index === -1) return undefined;
    last = index;
    const keys = owned.identity.kind === "keys" ? owned.identity.keys : undefined;
    matches.push({ element: owned.element, keys, index, declaredItem, liveItem: live[index] });
  }
  return matches;
}

interface OwnedElement {
  readonly element: string;
  readonly identity: Identity;
}

/** Elements no declared item has been matched with yet. */
class FreeElements {
  readonly #byValues = new Map<string, OwnedElement>();
  #keyNames: readonly string[] = [];

  constructor(elements: readonly string[]) {
    for (const element of elements) {
      const identity = parseElement(element);
      if (!identity) continue;
      if (identity.kind === "keys") this.#keyNames = Object.keys(identity.keys);
      this.#byValues.set(JSON.stringify(identityValues(identity)), { element, identity });
    }
  }

  take(item: unknown): OwnedElement | undefined {
    const found = this.#byValues.get(this.#valuesOf(item)) ?? this.#onlyMatch(item);
    if (found) this.#byValues.delete(JSON.stringify(identityValues(found.identity)));
    return found;
  }

  #valuesOf(item: unknown): string {
    if (this.#keyNames.length === 0) return JSON.stringify([item]);
    return JSON.stringify(isObject(item) ? this.#keyNames.map((name) => item[name]) : null);
  }

  /** The element an item can only be: a key the item does not state may have been filled in by the server. */
  #onlyMatch(item: unknown): OwnedElement | undefined {
    let found: OwnedElement | undefined;
    for (const candidate of this.#byValues.values()) {
      if (!mayBe(candidate.identity, item)) continue;
      if (found) return undefined;
      found = candidate;
    }
    return found;
  }
}

type Identity =
  | { readonly kind: "keys"; readonly keys: ListKeys }
  | { readonly kind: "value"; readonly value: unknown };

function parseElement(element: string): Identity | undefined {
  const parsed = parseJson(element.slice(2));
  if (element.startsWith("v:")) return { kind: "value", value: parsed };
  return element.startsWith("k:") && isObject(parsed) ? { kind: "keys", keys: parsed } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function identityValues(identity: Identity): readonly unknown[] {
  return identity.kind === "value" ? [identity.value] : Object.values(identity.keys);
}

function mayBe(identity: Identity, item: unknown): boolean {
  if (identity.kind === "value") return deepEqual(identity.value, item);
  if (!isObject(item)) return false;
  return Object.entries(identity.keys).every(
    ([key, value]) => item[key] === undefined || deepEqual(item[key], value),
  );
}

function isExactly(identity: Identity, item: unknown): boolean {
  if (identity.kind === "value") return deepEqual(identity.value, item);
  if (!isObject(item)) return false;
  return Object.entries(identity.keys).every(([key, value]) => deepEqual(item[key], value));
}

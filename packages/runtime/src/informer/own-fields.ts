// The managed fields of our own field manager, kept when the rest of managedFields is dropped: whether an apply would change
// anything depends on it, because a field that is owned but no longer declared must go.
//
// The form is text, the same string for equal sets: objects made by one controller mostly have equal sets, so that a
// thousand of them hold one text between them. It is decoded when a reconcile asks.
import type { FieldsV1, ManagedFieldsEntry } from "@kubewright/api";
import { StringInterner } from "./string-interner.js";

/** The fields one manager has applied through one endpoint. */
export interface OwnedFields {
  /** The version the fields are named in. */
  readonly apiVersion: string;
  /** Empty for the object itself, `status` for its status. */
  readonly subresource: string;
  /** As Kubernetes writes it: `f:spec` → `f:replicas` → {}. */
  readonly fields: FieldsV1;
}

const none: readonly OwnedFields[] = [];
const maxDecoded = 64;

/** Remembers what one manager owns of objects, for as long as the objects live. */
export class OwnFields {
  readonly #manager: string;
  readonly #texts = new WeakMap<object, string>();
  readonly #recent = new StringInterner(10, 8 * 1024);
  readonly #decoded = new Map<string, readonly OwnedFields[]>();

  constructor(manager: string) {
    this.#manager = manager;
  }

  /** Keeps our share of the entries for an object. */
  keep(object: object, entries: readonly ManagedFieldsEntry[]): void {
    const own: OwnedFields[] = [];
    for (const { manager, operation, apiVersion = "", subresource = "", fieldsV1 } of entries) {
      if (manager === this.#manager && operation === "Apply" && fieldsV1)
        own.push({ apiVersion, subresource, fields: fieldsV1 });
    }
    if (own.length > 0) this.#texts.set(object, this.#recent.intern(JSON.stringify(own)));
  }

  /** Our managed fields of an object that came from the cache; nothing is known of other objects. */
  of(object: object): readonly OwnedFields[] {
    const text = this.#texts.get(object);
    if (text === undefined) return none;
    let fields = this.#decoded.get(text);
    if (!fields) {
      fields = JSON.parse(text) as readonly OwnedFields[];
      if (this.#decoded.size >= maxDecoded) this.#decoded.clear();
      this.#decoded.set(text, fields);
    }
    return fields;
  }
}

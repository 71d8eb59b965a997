// Field sets kept once. Field managers of many objects manage much the same fields: the conditions of every pod, the same template
// again and again. A set that equals a recent one is replaced by that one, part by part, and is printed once.
import type { FieldSet } from "./field-set.js";
import { type FieldsV1, printFieldsV1 } from "./fields-v1.js";
import type { PathElement } from "./path-element.js";

/** Sets remembered of one place, the latest of them. */
const perPlace = 8;
/** How much is remembered in all, in elements; then it begins anew. Keys of maps are as many, and objects as large, as users like. */
const mostRemembered = 50_000;
/** The size of a set or a place besides its elements. */
const overhead = 4;

/** The sets seen below a field, in objects of any kind. */
interface Place {
  readonly sets: FieldSet[];
  /** Below the items of the list it is. */
  readonly items: FieldSet[];
}

export class SharedFieldSets {
  readonly #places = new Map<PathElement, Place>();
  #remembered = 0;
  /** FieldsV1 of sets at the root, and of those whose own element is a member too. */
  readonly #alone = new WeakMap<FieldSet, FieldsV1>();
  readonly #owned = new WeakMap<FieldSet, FieldsV1>();

  /** As `printFieldsV1`; equal sets are likely to give the very same record. */
  print(set: FieldSet): FieldsV1 {
    if (set.isEmpty) return printFieldsV1(set);
    if (this.#remembered > mostRemembered) this.#forget();
    const place = this.#placeOf("");
    return this.#print(this.#share(set, place, place.sets), false);
  }

  #print(set: FieldSet, isOwned: boolean): FieldsV1 {
    const printed = isOwned ? this.#owned : this.#alone;
    let fields = printed.get(set);
    if (!fields) {
      fields = printFieldsV1(set, isOwned, (part, isPartOwned) => this.#print(part, isPartOwned));
      printed.set(set, fields);
    }
    return fields;
  }

  /** Children first, so that sets can be compared by the identity of their children. */
  #share(set: FieldSet, place: Place, lately: FieldSet[]): FieldSet {
    if (this.#alone.has(set)) return set;
    const shared = set.rebuilt(set.members, (child, element) => {
      if (!element.startsWith("f:")) return this.#share(child, place, place.items);
      const below = this.#placeOf(element);
      return this.#share(child, below, below.sets);
    });
    for (let index = lately.length - 1; index >= 0; index--) {
      const known = lately[index];
      if (known && isSame(known, shared)) return known;
    }
    if (lately.length >= perPlace) lately.shift();
    lately.push(shared);
    this.#remembered += overhead + shared.members.size + shared.children.size;
    return shared;
  }

  #placeOf(element: PathElement): Place {
    let place = this.#places.get(element);
    if (!place) {
      place = { sets: [], items: [] };
      this.#places.set(element, place);
      this.#remembered += overhead;
    }
    return place;
  }

  #forget(): void {
    this.#places.clear();
    this.#remembered = 0;
  }
}

/** Equal, where the parts of both are shared. */
function isSame(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.members.size !== b.members.size || a.children.size !== b.children.size) return false;
  for (const [element, child] of a.children) if (b.children.get(element) !== child) return false;
  for (const member of a.members) if (!b.members.has(member)) return false;
  return true;
}

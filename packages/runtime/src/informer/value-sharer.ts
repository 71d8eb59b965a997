// Cached objects are full of equal parts: the labels of a workload's pods, their owner, resources, ports, probes,
// tolerations. Cached objects are immutable, so equal parts can be one part. The decoder sees to that by the text of
// the parts; this does it for what a transform has made, of which there is no text.
//
// Guarantees
// - An object says the same before and after.
// - A part that more than one object holds is frozen: code that mutates it fails at once, and does not
//   change other objects.
// - What is remembered is bounded, and so is what looking costs: parts that are large or deep are left alone.
//
// It runs for every object that arrives, so it is written for speed: what a part holds is laid out on a stack while it is
// looked at, and compared with what is known from there. A part that is known is dropped without being touched.
import { mixed, RecentValues } from "./recent-values.js";
import { hashText, StringInterner } from "./string-interner.js";

interface Fields {
  [name: string]: unknown;
}

/** Parts deeper than this are left as they are. */
const maxDepth = 32;
/** Parts with more entries than this are rarely alike. */
const maxEntries = 64;

/** Remembers recent parts. */
export class ValueSharer {
  readonly #strings: StringInterner;
  readonly #parts: RecentValues<object>;
  /** The names and values of the parts being looked at, innermost last. Lists have no names. */
  readonly #names: string[] = [];
  readonly #values: unknown[] = [];
  #top = 0;
  /** Of the value looked at last. */
  #hash = 0;

  /** Remembers 2 to the power of `bits` parts, and as many texts. */
  constructor(bits = 12) {
    this.#strings = new StringInterner(bits);
    this.#parts = new RecentValues(bits);
  }

  /** Replaces the parts of an unshared object by equal ones that are known. Frozen parts stay. */
  shareParts(object: object): void {
    if (!isFields(object) || Object.isFrozen(object)) return;
    for (const name in object) {
      const value = object[name];
      // Metadata is of one object only, but holds much that is of many.
      if (name === "metadata" && typeof value === "object" && value !== null) this.shareParts(value);
      else {
        const known = this.#find(value, 0);
        if (known !== undefined) object[name] = known;
      }
    }
  }

  /** The shared value that equals this one; undefined when it is to stay as it is. */
  #find(value: unknown, depth: number): unknown {
    if (typeof value === "string") {
      this.#hash = hashText(value);
      return this.#strings.find(value, this.#hash);
    }
    if (typeof value === "object" && value !== null && depth < maxDepth)
      return isList(value) ? this.#findList(value, depth + 1) : this.#findFields(value, depth + 1);
    this.#hash = typeof value === "number" ? value | 0 : value === true ? 1 : 0;
    return undefined;
  }

  #findFields(part: object, depth: number): object | undefined {
    if (!isFields(part)) return undefined;
    const base = this.#top;
    let hash = 1;
    let isChanged = false;
    for (const name in part) {
      const value = part[name];
      const known = this.#find(value, depth);
      if (known !== undefined) isChanged = true;
      this.#names[this.#top] = name;
      this.#values[this.#top++] = known ?? value;
      hash = (Math.imul(hash, 31) + this.#hash + name.length) | 0;
    }
    const found = this.#findPart(part, mixed(hash), base);
    if (!found && isChanged && !Object.isFrozen(part)) {
      let at = base;
      for (const name in part) part[name] = this.#values[at++];
    }
    this.#top = base;
    return found;
  }

  #findList(list: unknown[], depth: number): object | undefined {
    const base = this.#top;
    let hash = 2;
    let isChanged = false;
    for (const value of list) {
      const known = this.#find(value, depth);
      if (known !== undefined) isChanged = true;
      this.#values[this.#top++] = known ?? value;
      hash = (Math.imul(hash, 31) + this.#hash) | 0;
    }
    const found = this.#findPart(list, mixed(hash), base);
    if (!found && isChanged && !Object.isFrozen(list))
      for (let index = 0; index < list.length; index++) list[index] = this.#values[base + index];
    this.#top = base;
    return found;
  }

  /** The known part that holds what is on the stack from `base`. */
  #findPart(part: object, hash: number, base: number): object | undefined {
    this.#hash = hash;
    if (this.#top - base > maxEntries) return undefined;
    const start = this.#parts.start(hash);
    const end = this.#parts.end(start);
    let place = start;
    for (; place < end; place++) {
      const known = this.#parts.at(place);
      if (known === undefined) break;
      if (isList(known) !== isList(part) || !this.#holdsSame(known, base)) continue;
      return this.#parts.found(place, start) ? Object.freeze(known) : known;
    }
    this.#parts.notFound(part, place, start);
    return undefined;
  }

  /** True when a part equals what is on the stack: what both hold is shared, so it is the same, not only equal. */
  #holdsSame(known: object, base: number): boolean {
    let at = base;
    if (isList(known)) {
      if (known.length !== this.#top - base) return false;
      for (let index = 0; index < known.length; index++)
        if (known[index] !== this.#values[at++]) return false;
      return true;
    }
    if (!isFields(known)) return false;
    for (const name in known) {
      if (at >= this.#top || name !== this.#names[at] || known[name] !== this.#values[at]) return false;
      at++;
    }
    return at === this.#top;
  }
}

function isList(value: object): value is unknown[] {
  return Array.isArray(value);
}

function isFields(value: object): value is Fields {
  return !Array.isArray(value);
}

// What is long takes long to encode, and telling so should not: it is found out by looking no further than needed, and once.
import { isLarge } from "../storage/freeze-sized.js";

type KeysOf = (object: object) => readonly string[] | undefined;

/** Knows which containers hold more than so many values, with all that is inside of them. */
export class LongValues {
  readonly #limit: number;
  readonly #skipsStored: boolean;
  readonly #keysOf: KeysOf | undefined;
  #long: WeakSet<object> | undefined;

  /**
   * Where `skipsStored`, what is stored and was never large is not looked into. Whoever may know the keys of objects without listing them
   * says how.
   */
  constructor(limit: number, skipsStored = false, keysOf?: KeysOf) {
    this.#limit = limit;
    this.#skipsStored = skipsStored;
    this.#keysOf = keysOf;
  }

  isLong(value: unknown): boolean {
    return this.count(value) > this.#limit;
  }

  /** How many values it holds; where there are more than the limit, some number above that. */
  count(root: unknown): number {
    if (typeof root !== "object" || root === null) return 0;
    const open: object[] = [root];
    let count = 0;
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#long?.has(next)) count = this.#limit + 1;
      else {
        const from = open.length;
        const members = this.#open(next, open);
        if (this.#skipsStored && Object.isExtensible(next)) dropStored(open, from);
        if (members > this.#limit) this.#remember(next);
        count += members;
      }
      if (count > this.#limit) {
        this.#remember(root);
        break;
      }
    }
    return count;
  }

  /** How many members there are; those that hold more are opened, unless there are too many already. */
  #open(container: object, open: object[]): number {
    if (Array.isArray(container)) return openItems(container, this.#limit, open);
    const known = this.#keysOf?.(container)?.length ?? 0;
    return known > this.#limit ? known : openFields(container, this.#limit, open);
  }

  #remember(container: object): void {
    this.#long ??= new WeakSet();
    this.#long.add(container);
  }
}

/** What a short-lived container holds is stored as a whole, or a part of something that is. */
function dropStored(open: object[], from: number): void {
  let kept = from;
  for (let at = from; at < open.length; at++) {
    const each = open[at];
    if (each && (Object.isExtensible(each) || isLarge(each))) open[kept++] = each;
  }
  open.length = kept;
}

function openItems(list: readonly unknown[], most: number, open: object[]): number {
  if (list.length > most) return list.length;
  for (const item of list) if (typeof item === "object" && item !== null) open.push(item);
  return list.length;
}

function openFields(object: object, most: number, open: object[]): number {
  const fields = object as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const name in fields) {
    if (++count > most) break;
    const field = fields[name];
    if (typeof field === "object" && field !== null) open.push(field);
  }
  return count;
}

// What is long takes long to encode, and telling so should not: it is found out by looking no further than needed, and once.

/** Knows which containers hold more than so many values, with all that is inside of them. */
export class LongValues {
  readonly #limit: number;
  readonly #long = new WeakSet<object>();

  constructor(limit: number) {
    this.#limit = limit;
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
      if (this.#long.has(next)) count = this.#limit + 1;
      else {
        const members = openMembers(next, this.#limit, open);
        if (members > this.#limit) this.#long.add(next);
        count += members;
      }
      if (count > this.#limit) {
        this.#long.add(root);
        break;
      }
    }
    return count;
  }
}

/** How many members there are; those that hold more are opened, unless there are too many already. */
function openMembers(container: object, most: number, open: object[]): number {
  return Array.isArray(container) ? openItems(container, most, open) : openFields(container, most, open);
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

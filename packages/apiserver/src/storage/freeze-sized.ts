// What is stored is frozen, and how much of it there is decides how much history can be kept: both in one walk.

/** Punctuation and the like, per value. */
export const perValue = 4;

/** What values take in memory besides their text: objects and lists, and the place in them each value has. */
const memoryPerContainer = 56;
const memoryPerValue = 24;

/** Bytes of JSON that an object may take: what etcd takes in one request. */
export const mostBytes = 1.5 * 1024 * 1024;

/** About how many bytes a value takes. */
export interface Size {
  /** As JSON. */
  readonly json: number;
  /** In memory: many times as much where there is little text in it. */
  readonly memory: number;
}

/**
 * Freezes a JSON value and everything in it, and returns its size. Parts that are frozen already are only measured. Stops
 * where there are more than `most` bytes of JSON.
 */
export function freezeSized(root: object, most = Number.POSITIVE_INFINITY): Size {
  const walk = new Walk(root);
  for (let next = walk.next(); next !== undefined && walk.json <= most; next = walk.next()) {
    walk.enter(next);
    Object.freeze(next);
  }
  return walk;
}

/** About how many bytes a JSON value takes as JSON. Freezes nothing. */
export function sizeOfJson(root: object, most = Number.POSITIVE_INFINITY): number {
  const walk = new Walk(root);
  for (let next = walk.next(); next !== undefined && walk.json <= most; next = walk.next()) walk.enter(next);
  return walk.json;
}

/** Whether a value is too large to be stored, whatever becomes of it. Freezes nothing. Who knows the size already tells it. */
export const isTooLarge = (root: object, size = sizeOfJson(root, mostBytes)): boolean => size > mostBytes;

/** Goes through the objects and lists of a value and adds up what is in them. */
class Walk implements Size {
  json = 0;
  memory = 0;
  readonly #open: object[];

  constructor(root: object) {
    this.#open = [root];
  }

  next(): object | undefined {
    return this.#open.pop();
  }

  /** Adds one, without those inside, which are left for later. */
  enter(container: object): void {
    let text = 0;
    let values = 0;
    if (Array.isArray(container)) {
      values = container.length;
      for (const item of container) text += this.#textOf(item);
    } else {
      const fields = container as Readonly<Record<string, unknown>>;
      for (const key in fields) {
        values++;
        text += key.length + this.#textOf(fields[key]);
      }
    }
    this.json += text + values * perValue;
    this.memory += text + values * memoryPerValue + memoryPerContainer;
  }

  #textOf(value: unknown): number {
    if (typeof value === "string") return value.length;
    if (typeof value === "object" && value !== null) this.#open.push(value);
    return 0;
  }
}

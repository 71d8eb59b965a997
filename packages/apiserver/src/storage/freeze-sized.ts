// Freezes objects that are stored and measures them in the same walk, because their size bounds how much history is kept.

/** Bytes of JSON that an object may take: what etcd takes in one request. */
export const maxObjectBytes = 1.5 * 1024 * 1024;

/** About how many bytes a value takes. */
export interface Size {
  /** As JSON: never more than there are, so that nothing is refused that etcd would take. */
  readonly json: number;
  /** In memory: many times as much where there is little text in it. */
  readonly memory: number;
  /** Whether there are integers in it that a number would round. */
  readonly hasBigIntegers: boolean;
}

/** The memory of values besides their text: objects and lists, and the slot of each value in them. */
const memoryPerContainer = 56;
const memoryPerValue = 24;

/**
 * Characters of JSON around a field (quotes, colon, comma), an item (comma), a text (quotes) and a list or object (brackets, less the comma
 * that its last member lacks).
 */
const perField = 4;
const perItem = 1;
const perText = 2;
const perContainer = 1;
/** Characters of a number, `true`, `false` or null, at least. */
const perScalar = 1;

/**
 * Freezes a JSON value and everything in it, and returns its size. Parts that are frozen already are measured too. Stops where there are
 * more than `most` bytes of JSON.
 */
export function freezeSized(root: object, most = Number.POSITIVE_INFINITY): Size {
  return measure(root, most, true);
}

/** At least how many bytes a JSON value takes as JSON. Freezes nothing. Stops where there are more than `most`. */
export const sizeOfJson = (root: object, most = Number.POSITIVE_INFINITY): number =>
  measure(root, most, false).json;

function measure(root: object, most: number, freeze: boolean): Size {
  const open = [root];
  let json = 0;
  let memory = 0;
  let hasBigIntegers = false;
  const add = (value: unknown): void => {
    memory += memoryPerValue;
    if (typeof value === "string") {
      json += value.length + perText;
      memory += value.length;
    } else if (typeof value === "object" && value !== null) open.push(value);
    else {
      json += perScalar;
      if (typeof value === "bigint") hasBigIntegers = true;
    }
  };
  for (let next = open.pop(); next !== undefined && json <= most; next = open.pop()) {
    if (freeze) Object.freeze(next);
    json += perContainer;
    memory += memoryPerContainer;
    if (Array.isArray(next)) {
      json += next.length * perItem;
      for (const item of next) add(item);
      continue;
    }
    const fields = next as Readonly<Record<string, unknown>>;
    for (const key in fields) {
      json += key.length + perField;
      memory += key.length;
      add(fields[key]);
    }
  }
  return { json, memory, hasBigIntegers };
}

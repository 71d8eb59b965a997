// What is stored is frozen, and how much of it there is decides how much history can be kept: both in one walk.

/** Punctuation and the like, per value. */
const perValue = 4;

/**
 * Freezes a JSON value and everything in it, and returns about how many bytes it takes as JSON. Parts that are frozen
 * already are only measured.
 */
export function freezeSized(root: object): number {
  const open: object[] = [root];
  let size = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) size += sizeOrLater(item, open);
    } else {
      const fields = next as Readonly<Record<string, unknown>>;
      for (const key in fields) size += key.length + sizeOrLater(fields[key], open);
    }
    Object.freeze(next);
  }
  return size;
}

function sizeOrLater(value: unknown, open: object[]): number {
  if (typeof value === "string") return value.length + perValue;
  if (typeof value === "object" && value !== null) open.push(value);
  return perValue;
}

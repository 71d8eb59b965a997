// What is stored is frozen, and how much of it there is decides how much history can be kept: both in one walk.

/** Punctuation and the like, per value. */
const perValue = 4;

/** Bytes of JSON that an object may take: what etcd takes in one request. */
export const mostBytes = 1.5 * 1024 * 1024;

/**
 * Freezes a JSON value and everything in it, and returns about how many bytes it takes as JSON. Parts that are frozen
 * already are only measured. Stops where there are more than `most`.
 */
export function freezeSized(root: object, most = Number.POSITIVE_INFINITY): number {
  const open: object[] = [root];
  let size = 0;
  for (let next = open.pop(); next !== undefined && size <= most; next = open.pop()) {
    size += sizeOf(next, open);
    Object.freeze(next);
  }
  return size;
}

/** About how many bytes a JSON value takes as JSON. Freezes nothing. */
export function sizeOfJson(root: object): number {
  const open: object[] = [root];
  let size = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) size += sizeOf(next, open);
  return size;
}

/** Whether a value is too large to be stored, whatever becomes of it. Freezes nothing. */
export function isTooLarge(root: object): boolean {
  const open: object[] = [root];
  let size = 0;
  for (let next = open.pop(); next !== undefined && size <= mostBytes; next = open.pop())
    size += sizeOf(next, open);
  return size > mostBytes;
}

/** Without the containers inside, which are left for later. */
function sizeOf(container: object, open: object[]): number {
  let size = 0;
  if (Array.isArray(container)) {
    for (const item of container) size += sizeOrLater(item, open);
  } else {
    const fields = container as Readonly<Record<string, unknown>>;
    for (const key in fields) size += key.length + sizeOrLater(fields[key], open);
  }
  return size;
}

function sizeOrLater(value: unknown, open: object[]): number {
  if (typeof value === "string") return value.length + perValue;
  if (typeof value === "object" && value !== null) open.push(value);
  return perValue;
}

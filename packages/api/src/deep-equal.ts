// Deep equality of JSON values. It decides if a write is needed, so it runs for every reconcile.

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * Compares JSON values: the order of keys does not matter, and a key that is `undefined` is absent. Works without
 * recursion, so depth costs nothing; cycles are not JSON and not looked for.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  const pending: Container[] = [];
  if (!sameOrPending(a, b, pending)) return false;
  while (pending.length > 0) {
    const right = pending.pop();
    const left = pending.pop();
    if (left === undefined || right === undefined || !sameChildren(left, right, pending)) return false;
  }
  return true;
}

/** False when the two differ for sure; when both hold other values, they are put aside for later. */
function sameOrPending(a: unknown, b: unknown, pending: Container[]): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  pending.push(a, b);
  return true;
}

function sameChildren(a: Container, b: Container, pending: Container[]): boolean {
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i += 1) {
      if (!sameOrPending(a[i], b[i], pending)) return false;
    }
    return true;
  }
  return !isList(b) && sameFields(a, b, pending);
}

function sameFields(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
  pending: Container[],
): boolean {
  let count = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    count += 1;
    // Every object inherits a `__proto__` that looks like an empty object.
    if (key === "__proto__" && !Object.hasOwn(b, key)) return false;
    if (!sameOrPending(value, b[key], pending)) return false;
  }
  for (const key of Object.keys(b)) {
    if (b[key] !== undefined) count -= 1;
  }
  return count === 0;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function isList(value: Container): value is readonly unknown[] {
  return Array.isArray(value);
}

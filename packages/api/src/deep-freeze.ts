// Objects handed from a cache or a store are shared, so they are frozen: a mutation throws where it happens.

/**
 * Freezes a JSON value and everything in it, and returns it. What is frozen already is taken to be frozen throughout,
 * so freezing an object built from frozen parts costs only the new parts.
 */
export function deepFreeze<T>(value: T): T {
  if (!isOpen(value)) return value;
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    for (const child of Array.isArray(next) ? next : Object.values(next)) {
      if (isOpen(child)) open.push(child);
    }
  }
  return value;
}

function isOpen(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}
